package scenario

import (
	"cmp"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// pullImagesAction has images come to a node, for good or until they are
// collected. The kubelet lists the largest, as many as nodeStatusMaxImages, and
// a list that changed is reported with the next status.
type pullImagesAction struct{ *PullImagesFault }

func (a pullImagesAction) verb() string     { return "pullImages" }
func (a pullImagesAction) nodes() []string  { return []string{a.Node} }
func (a pullImagesAction) describe() string { return fmt.Sprint(a.Count) }

func (a pullImagesAction) begin(c *Cluster) func() {
	return c.eachNode(a.Node, func(n *Node) func() {
		held := n.ailing()
		first := held.imagesPulled
		held.imagesPulled += a.Count
		pulled := make([]corev1.ContainerImage, a.Count)
		for i := range pulled {
			pulled[i] = pulledImage(first + i)
		}
		n.editImages(func(images []corev1.ContainerImage) []corev1.ContainerImage { return append(images, pulled...) })
		return func() {
			n.editImages(func(images []corev1.ContainerImage) []corev1.ContainerImage {
				return slices.DeleteFunc(images, func(image corev1.ContainerImage) bool {
					return slices.ContainsFunc(pulled, func(p corev1.ContainerImage) bool { return p.Names[0] == image.Names[0] })
				})
			})
		}
	})
}

// editImages changes a copy of the machine's images, which are listed by size.
func (n *Node) editImages(edit func([]corev1.ContainerImage) []corev1.ContainerImage) {
	in := n.Inputs()
	in.Images = edit(slices.Clone(in.Images))
	slices.SortStableFunc(in.Images, func(a, b corev1.ContainerImage) int { return cmp.Compare(b.SizeBytes, a.SizeBytes) })
	n.SetInputs(in)
}

// pulledImage is the one of that number, from 50 MB to 250 MB in size.
func pulledImage(number int) corev1.ContainerImage {
	const least, spread, step = 50_000_000, 200, 37
	return corev1.ContainerImage{
		Names:     []string{fmt.Sprintf("registry.example.org/image-%d:v1", number)},
		SizeBytes: least + int64(number*step%spread)*1_000_000,
	}
}
