package serve

import (
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/holter-sim/holter/scenario"
)

// A page of any site can have the browser send requests to a loopback address; those
// of kubectl, and of pages that come from here, look otherwise.
func TestPagesOfOtherSitesAreRefused(t *testing.T) {
	l := newLab(t, 1)
	host := l.Address().String()
	for _, header := range [][]string{
		{"Host", "evil.example"}, {"Host", "evil.example:80"}, {"Host", "127.0.0.1.evil.example"}, {"Host", "10.0.0.1"},
		{"Origin", "https://evil.example"}, {"Origin", "null"}, {"Origin", "http://" + host + ".evil.example"}, {"Origin", "http://127.0.0.1:1"},
		{"Sec-Fetch-Site", "cross-site"},
	} {
		for _, path := range []string{"/api/v1/nodes", controlPath + "status"} {
			g := l.ask(http.MethodGet, path, "", header...)
			require.Equal(t, http.StatusForbidden, g.code, header)
			require.Contains(t, g.body, `"reason":"Forbidden"`)
		}
	}
	for _, header := range [][]string{{}, {"Host", "localhost"}, {"Host", "LOCALHOST:1"}, {"Host", "[::1]:80"}, {"Origin", "http://" + host}, {"Sec-Fetch-Site", "none"}} {
		require.Equal(t, http.StatusOK, l.ask(http.MethodGet, "/version", "", header...).code, header)
	}
}

func TestAnAddressThatOthersCanReachDemandsAToken(t *testing.T) {
	s, _, err := scenario.Load(nodeDeath, nil)
	require.NoError(t, err)
	l := serving(t, Options{Scenario: s, Speed: Max, Listen: "0.0.0.0:0"})
	require.Len(t, l.Token(), 64)
	text, err := l.Kubeconfig()
	require.NoError(t, err)
	config, err := clientcmd.RESTConfigFromKubeConfig(text)
	require.NoError(t, err)
	secure, err := rest.TLSConfigFor(config)
	require.NoError(t, err)
	transport := &http.Transport{TLSClientConfig: secure}
	defer transport.CloseIdleConnections()
	l.client = &http.Client{Transport: transport}
	for _, header := range [][]string{{}, {"Authorization", "Bearer "}, {"Authorization", "Bearer x" + l.Token()}, {"Authorization", l.Token()}, {"Authorization", "Basic " + l.Token()}} {
		for _, path := range []string{"/version", "/api/v1/nodes", controlPath + "status"} {
			g := l.ask(http.MethodGet, path, "", header...)
			require.Equal(t, http.StatusUnauthorized, g.code, header)
			require.Contains(t, g.body, `"reason":"Unauthorized"`)
		}
	}
	withToken, err := rest.HTTPWrappersForConfig(config, transport)
	require.NoError(t, err)
	client, err := kubernetes.NewForConfigAndClient(config, &http.Client{Transport: withToken})
	require.NoError(t, err)
	_, err = client.CoreV1().Nodes().List(l.ctx(), metav1.ListOptions{})
	require.NoError(t, err, "whoever has the kubeconfig may come")
}

func TestOnlyLoopbackNeedsNoToken(t *testing.T) {
	for address, free := range map[string]bool{"127.0.0.1": true, "127.3.2.1": true, "::1": true, "0.0.0.0": false, "::": false, "10.0.0.1": false} {
		a, err := newAccess(&net.TCPAddr{IP: net.ParseIP(address)}, time.Now())
		require.NoError(t, err)
		require.Equal(t, free, a.token == "", address)
		require.Equal(t, free, a.certificate == nil, address)
	}
	a, err := newAccess(&net.UnixAddr{}, time.Now())
	require.NoError(t, err)
	require.NotEmpty(t, a.token)
	a = access{token: "secret"}
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.Header.Set("Authorization", "Bearer secret")
	require.Nil(t, a.check(r))
	require.True(t, same("a", "a"))
	require.False(t, same("a", "ab"))
}

func TestAKubeconfigIsThereAsLongAsTheSimulation(t *testing.T) {
	l := newLab(t, 1)
	path := filepath.Join(t.TempDir(), "sim.kubeconfig")
	k, err := l.WriteKubeconfig(path)
	require.NoError(t, err)
	require.Equal(t, path, k.Path)
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode())
	config, err := clientcmd.BuildConfigFromFlags("", path)
	require.NoError(t, err)
	require.Equal(t, l.URL(), config.Host)

	again, err := newLab(t, 1).WriteKubeconfig(path)
	require.NoError(t, err, "one that an earlier simulation has left is replaced")
	require.NoError(t, k.Remove())
	require.FileExists(t, path, "it is another's by now")
	require.NoError(t, again.Remove())
	require.NoError(t, again.Remove(), "somebody else may have removed it")
	entries, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	require.Empty(t, entries)

	k, err = l.WriteKubeconfig("")
	require.NoError(t, err)
	require.FileExists(t, k.Path)
	require.NoError(t, k.Remove())
	require.NoFileExists(t, k.Path)
}

func TestAKubeconfigThatLeadsElsewhereIsLeftAlone(t *testing.T) {
	l := newLab(t, 1)
	for _, text := range []string{
		"",
		"a text",
		"apiVersion: v1\nkind: Config\nclusters: [{name: mine, cluster: {server: https://a}}]\n",
		"apiVersion: v1\nkind: Config\nclusters: [{name: mine, cluster: {server: https://a}}, {name: holter, cluster: {server: https://b}}]\ncontexts: [{name: holter, context: {cluster: holter}}]\n",
	} {
		path := filepath.Join(t.TempDir(), "config")
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		_, err := l.WriteKubeconfig(path)
		require.ErrorIs(t, err, ErrNotOurs, text)
		there, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, text, string(there))
	}
	folder := t.TempDir()
	_, err := l.WriteKubeconfig(folder)
	require.ErrorIs(t, err, ErrNotOurs)
	_, err = l.WriteKubeconfig(filepath.Join(folder, "absent", "config"))
	require.ErrorIs(t, err, os.ErrNotExist)
}
