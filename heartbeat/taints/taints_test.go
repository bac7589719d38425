package taints

import (
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"pgregory.net/rapid"
)

func anyToleration(t *rapid.T) corev1.Toleration {
	return corev1.Toleration{
		Key:      rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "key"),
		Operator: rapid.SampledFrom([]corev1.TolerationOperator{"", corev1.TolerationOpEqual, corev1.TolerationOpExists}).Draw(t, "operator"),
		Value:    rapid.SampledFrom([]string{"", "v"}).Draw(t, "value"),
		Effect:   rapid.SampledFrom([]corev1.TaintEffect{"", corev1.TaintEffectNoSchedule, corev1.TaintEffectNoExecute}).Draw(t, "effect"),
	}
}

func anyTaint(t *rapid.T) corev1.Taint {
	return corev1.Taint{
		Key:    rapid.SampledFrom([]string{"a", "b"}).Draw(t, "taint"),
		Value:  rapid.SampledFrom([]string{"", "v"}).Draw(t, "of"),
		Effect: rapid.SampledFrom([]corev1.TaintEffect{corev1.TaintEffectNoSchedule, corev1.TaintEffectNoExecute}).Draw(t, "with"),
	}
}

func TestMoreTolerationsNeverTolerateLess(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		taints := rapid.SliceOfN(rapid.Custom(anyTaint), 0, 4).Draw(t, "taints")
		tolerations := rapid.SliceOfN(rapid.Custom(anyToleration), 0, 3).Draw(t, "tolerations")
		more := append([]corev1.Toleration{anyToleration(t)}, tolerations...)
		if !Untolerated(taints, tolerations, corev1.TaintEffectNoExecute) {
			require.False(t, Untolerated(taints, more, corev1.TaintEffectNoExecute))
		}
		everything := []corev1.Toleration{{Operator: corev1.TolerationOpExists}}
		require.False(t, Untolerated(taints, everything, corev1.TaintEffectNoExecute, corev1.TaintEffectNoSchedule))
	})
}

func TestTolerationFitsByEffectKeyAndValue(t *testing.T) {
	taint := corev1.Taint{Key: "k", Value: "v", Effect: corev1.TaintEffectNoExecute}
	for toleration, want := range map[corev1.Toleration]bool{
		{Operator: corev1.TolerationOpExists}:                      true,
		{Key: "k", Operator: corev1.TolerationOpExists}:            true,
		{Key: "k", Value: "v"}:                                     true,
		{Key: "k", Operator: corev1.TolerationOpEqual, Value: "v"}: true,
		{Key: "k"}: false,
		{Key: "other", Operator: corev1.TolerationOpExists}:                         false,
		{Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule}: false,
		{Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute}:  true,
		{Key: "k", Operator: corev1.TolerationOpLt, Value: "v"}:                     false,
	} {
		require.Equal(t, want, Tolerates(&toleration, &taint), "%+v", toleration)
	}
}
