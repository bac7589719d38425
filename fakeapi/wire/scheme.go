package wire

import (
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
)

// The kinds that travel, and their codecs: those of client-go's scheme, less
// the groups that nothing here serves.
var (
	scheme     = newScheme()
	codecs     = serializer.NewCodecFactory(scheme)
	mediaTypes = codecs.SupportedMediaTypes()
	parameters = runtime.NewParameterCodec(scheme)
)

func newScheme() *runtime.Scheme {
	s := runtime.NewScheme()
	utilruntime.Must(corev1.AddToScheme(s))
	utilruntime.Must(coordinationv1.AddToScheme(s))
	utilruntime.Must(eventsv1.AddToScheme(s))
	utilruntime.Must(policyv1.AddToScheme(s)) // pods/eviction
	utilruntime.Must(metav1.AddMetaToScheme(s))
	metav1.AddToGroupVersion(s, metav1.Unversioned)
	return s
}

// Know adds a kind, and that of its lists, to those that travel. It is not to be
// called while requests are under way.
func Know(kind schema.GroupVersionKind, item, list runtime.Object) {
	scheme.AddKnownTypeWithName(kind, item)
	scheme.AddKnownTypeWithName(kind.GroupVersion().WithKind(kind.Kind+"List"), list)
}
