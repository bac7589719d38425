package version

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func parsed(t require.TestingT, text string) Version {
	v, err := Parse(text)
	require.NoError(t, err)
	return v
}

func TestAVersionMayHaveAPatchAndALetterV(t *testing.T) {
	for text, want := range map[string]Version{
		"1.36":    {36, Newest},
		"v1.36":   {36, Newest},
		"v1.36.3": {36, 3},
		"1.32.0":  {32, 0},
		"1.13":    {13, Newest},
		"1.37.99": {37, 99},
	} {
		v := parsed(t, text)
		require.Equal(t, want, v, text)
		require.Equal(t, strings.TrimPrefix(text, "v"), v.String())
	}
}

func TestParseSaysInOneLineWhatIsWrongAndWhatIsAccepted(t *testing.T) {
	const accepted = "; accepted: 1.13 to 1.37, or a release of them such as 1.32.3"
	for text, want := range map[string]string{
		"":               `Kubernetes version "" is no version`,
		"latest":         `Kubernetes version "latest" is no version`,
		"1":              `Kubernetes version "1" is no version`,
		"2.0":            `Kubernetes version "2.0" is no version`,
		"1.036":          `Kubernetes version "1.036" is no version`,
		"1.36.":          `Kubernetes version "1.36." is no version`,
		"1.36.3.1":       `Kubernetes version "1.36.3.1" is no version`,
		" 1.36":          `Kubernetes version " 1.36" is no version`,
		"1.36\n":         `Kubernetes version "1.36\n" is no version`,
		"1.99999999999":  `Kubernetes version "1.99999999999" is no version`,
		"1.36.3-gke.100": `Kubernetes version "1.36.3-gke.100" has the suffix "-gke.100", and only releases are known`,
		"v1.36.3+k3s1":   `Kubernetes version "v1.36.3+k3s1" has the suffix "+k3s1", and only releases are known`,
		"1.12.10":        `Kubernetes version "1.12.10" is older than the table of versions`,
		"1.38":           `Kubernetes version "1.38" is newer than the table of versions`,
	} {
		_, err := Parse(text)
		require.EqualError(t, err, want+accepted)
		var parse *ParseError
		require.True(t, errors.As(err, &parse))
		require.Equal(t, text, parse.Text)
		require.NotContains(t, err.Error(), "\n")
	}
}

func TestVersionsAreOrderedBySeriesThenByPatch(t *testing.T) {
	ordered := []string{"1.13.0", "1.13.12", "1.13", "1.14.0", "1.20.8", "1.32.2", "1.32.3", "1.32", "1.33.0", "1.37"}
	for i, a := range ordered {
		for j, b := range ordered {
			require.Equal(t, i < j, parsed(t, a).Compare(parsed(t, b)) < 0, "%s, %s", a, b)
			require.Equal(t, i == j, parsed(t, a).Compare(parsed(t, b)) == 0, "%s, %s", a, b)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{"1.36", "v1.36.3", "1.32.0", "1.12", "1.38", "", "v", "1.36.3-rc.1", "1.0.0", "1.13.001"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, err := Parse(text)
		if err != nil {
			require.NotContains(t, err.Error(), "\n")
			require.Equal(t, Version{}, v)
			return
		}
		require.Equal(t, v, parsed(t, v.String()))
		require.Equal(t, Lookup(v), Lookup(parsed(t, "v"+v.String())))
	})
}
