package fakeapi

import (
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
)

func TestATypedWatchIsRefusedWithWhatToUse(t *testing.T) {
	overWire(t, Options{}, func(t *testing.T, l *lab, cs *kubernetes.Clientset) {
		l.do(func() {
			_, err := cs.CoreV1().Nodes().Watch(ctx, metav1.ListOptions{})
			require.ErrorContains(t, err, "open it with Stream and read it with fakeapi.WatchOver")
			require.Empty(t, l.received, "nothing was sent")
			require.Zero(t, l.s.Stats().Watches)

			w, err := WatchOver(cs.CoreV1().RESTClient().Get().Resource("nodes").VersionedParams(&metav1.ListOptions{Watch: true}, scheme.ParameterCodec).Stream(ctx))
			require.NoError(t, err)
			w.Stop()
		})
	})
}
