//go:build apiserver

package registry

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

// Cluster is a real etcd and a real kube-apiserver on loopback, built by make
// conformance-apiserver, without controllers and nodes.
type Cluster struct {
	dir       string
	url       string
	client    *http.Client
	apiserver []string // the program and its arguments
	processes []*exec.Cmd
}

// users of the cluster, by the token they send; the first is the administrator.
var users = []string{"admin", "system:node:a", "system:node:b"}

// StartCluster starts both programs, found in bin, with their files in dir. It
// must be closed.
func StartCluster(bin, dir string) (*Cluster, error) {
	c := &Cluster{dir: dir, client: &http.Client{Transport: &http.Transport{
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}} // self-signed, on loopback
	ports, err := freePorts(3)
	if err != nil {
		return nil, err
	}
	etcd := "http://127.0.0.1:" + ports[0]
	c.url = "https://127.0.0.1:" + ports[2]
	if err := c.start(filepath.Join(bin, "etcd"), "--name=one", "--data-dir="+filepath.Join(dir, "etcd"), "--unsafe-no-fsync",
		"--listen-client-urls="+etcd, "--advertise-client-urls="+etcd,
		"--listen-peer-urls=http://127.0.0.1:"+ports[1], "--initial-advertise-peer-urls=http://127.0.0.1:"+ports[1],
		"--initial-cluster=one=http://127.0.0.1:"+ports[1]); err != nil {
		return c, err
	}
	tokens := filepath.Join(dir, "tokens.csv")
	if err := os.WriteFile(tokens, []byte(tokenFile()), 0o600); err != nil {
		return c, err
	}
	key := filepath.Join(dir, "service-account.key")
	if out, err := exec.Command("openssl", "genrsa", "-out", key, "2048").CombinedOutput(); err != nil {
		return c, fmt.Errorf("openssl genrsa: %w: %s", err, out)
	}
	c.apiserver = append(c.apiserver, filepath.Join(bin, "kube-apiserver"), "--etcd-servers="+etcd,
		"--bind-address=127.0.0.1", "--secure-port="+ports[2], "--cert-dir="+filepath.Join(dir, "certs"),
		"--service-cluster-ip-range=10.0.0.0/24", "--service-account-issuer=https://localhost",
		"--service-account-key-file="+key, "--service-account-signing-key-file="+key,
		"--token-auth-file="+tokens, "--authorization-mode=AlwaysAllow",
		// The plugins of the oracle, and no writers in the background.
		"--enable-admission-plugins=NodeRestriction", "--disable-admission-plugins=ServiceAccount,Priority",
		"--endpoint-reconciler-type=none", "--feature-gates=APIServerIdentity=false,UnknownVersionInteroperabilityProxy=false", "--enable-priority-and-fairness=false")
	if err := c.start(c.apiserver[0], c.apiserver[1:]...); err != nil {
		return c, err
	}
	return c, c.ready()
}

// Restart implements Server.
func (c *Cluster) Restart() error {
	c.stop()
	c.client.CloseIdleConnections()
	if err := c.start(c.apiserver[0], c.apiserver[1:]...); err != nil {
		return err
	}
	return c.ready()
}

// tokenFile gives each user a token, which is the user's name with dashes.
func tokenFile() string {
	var out strings.Builder
	for i, user := range users {
		group := "system:nodes"
		if i == 0 {
			group = "system:masters"
		}
		fmt.Fprintf(&out, "%s,%s,%d,%s\n", tokenOf(user), user, i, group)
	}
	return out.String()
}

func tokenOf(user string) string { return strings.ReplaceAll(user, ":", "-") }

// start runs a program with its output in a file.
func (c *Cluster) start(program string, args ...string) error {
	log, err := os.Create(filepath.Join(c.dir, filepath.Base(program)+".log"))
	if err != nil {
		return err
	}
	cmd := exec.Command(program, args...)
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		return err
	}
	c.processes = append(c.processes, cmd)
	return nil
}

// Close ends the programs, the one started last first.
func (c *Cluster) Close() {
	for len(c.processes) > 0 {
		c.stop()
	}
}

// stop ends the program that was started last.
func (c *Cluster) stop() {
	last := len(c.processes) - 1
	_ = c.processes[last].Process.Kill()
	_ = c.processes[last].Wait()
	c.processes = c.processes[:last]
}

// ready waits for the API server, and for the namespaces it creates.
func (c *Cluster) ready() error {
	err := wait.PollUntilContextTimeout(context.Background(), 200*time.Millisecond, time.Minute, true, func(context.Context) (bool, error) {
		for _, name := range startNamespaces {
			if r := c.Do(get("/api/v1/namespaces/" + name)); r.Code != http.StatusOK {
				return false, nil
			}
		}
		return c.Do(get("/readyz")).Code == http.StatusOK, nil
	})
	if err != nil {
		return fmt.Errorf("kube-apiserver does not become ready: %w\n%s", err, c.lastWords())
	}
	return nil
}

// lastWords is the end of the API server's log.
func (c *Cluster) lastWords() string {
	log, err := os.ReadFile(filepath.Join(c.dir, "kube-apiserver.log"))
	if err != nil {
		return err.Error()
	}
	return string(log[max(0, len(log)-2000):])
}

// Kubeconfig writes a kubeconfig for the administrator, and returns its path.
func (c *Cluster) Kubeconfig() (string, error) {
	path := filepath.Join(c.dir, "kubeconfig")
	return path, os.WriteFile(path, []byte(fmt.Sprintf(`apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: %q, insecure-skip-tls-verify: true}}]
users: [{name: u, user: {token: %s}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
current-context: x
`, c.url, tokenOf(users[0]))), 0o600)
}

// Do sends a request, and answers with code 0 if nobody answers.
func (c *Cluster) Do(r *Request) *Response {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	req := r.http(ctx, c.url)
	user := r.Header[UserHeader]
	if user == "" {
		user = users[0]
	}
	req.Header.Del(UserHeader)
	req.Header.Set("Authorization", "Bearer "+tokenOf(user))
	resp, err := c.client.Do(req)
	if err != nil {
		return &Response{Header: http.Header{}, Body: []byte(err.Error())}
	}
	defer resp.Body.Close()
	if !r.watches() {
		body, _ := io.ReadAll(resp.Body)
		return &Response{Code: resp.StatusCode, Header: resp.Header, Body: body}
	}
	return &Response{Code: resp.StatusCode, Header: resp.Header, Body: listen(resp.Body, cancel)}
}

// listen reads a stream until it has been quiet for a while.
func listen(body io.Reader, cancel func()) []byte {
	const quietOnSockets = 250 * time.Millisecond
	idle := time.AfterFunc(quietOnSockets, cancel)
	var out []byte
	buffer := make([]byte, 1<<16)
	for {
		n, err := body.Read(buffer)
		out = append(out, buffer[:n]...)
		if err != nil {
			return out
		}
		idle.Reset(quietOnSockets)
	}
}

// Reset deletes what the tables make, by the API.
func (c *Cluster) Reset() error {
	for _, r := range []*Request{
		mergePatch(nss+"/default", `{"metadata":{"labels":{"k":null}}}`),
		del(nss + "/n"), put(nss+"/n/finalize", namespace("n", `"spec":{"finalizers":[]}`)),
	} {
		c.Do(r)
	}
	for _, list := range []string{nodes, pods, events, leases, "/apis/coordination.k8s.io/v1/namespaces/default/leases"} {
		if err := c.clear(list); err != nil {
			return err
		}
	}
	return nil
}

// clear empties one list, finalizers or not.
func (c *Cluster) clear(list string) error {
	for range 3 {
		resp := c.Do(get(list))
		body, err := parse("application/json", resp.Body)
		if err != nil {
			return err
		}
		items, _ := dig(body, "items").([]any)
		if len(items) == 0 {
			return nil
		}
		for _, item := range items {
			name, _ := dig(item, "metadata", "name").(string)
			c.Do(mergePatch(list+"/"+name, `{"metadata":{"finalizers":null}}`))
			c.Do(del(list + "/" + name + "?gracePeriodSeconds=0"))
		}
	}
	return fmt.Errorf("%s: something is left", list)
}

// Settle waits until the watch caches are current: a list from the cache at the
// version of one from etcd is answered when the cache is there.
func (c *Cluster) Settle() error {
	for _, list := range []string{nodes, "/api/v1/pods", allLeases, nss} {
		body, err := parse("application/json", c.Do(get(list+"?limit=1")).Body)
		if err != nil {
			return err
		}
		version, _ := dig(body, "metadata", "resourceVersion").(string)
		if r := c.Do(get(list + "?resourceVersionMatch=NotOlderThan&resourceVersion=" + version)); r.Code != http.StatusOK {
			return fmt.Errorf("%s at version %s: %d %s", list, version, r.Code, r.Body)
		}
	}
	return nil
}

// freePorts returns ports on loopback that nobody listens on.
func freePorts(n int) ([]string, error) {
	var ports []string
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer l.Close()
		ports = append(ports, fmt.Sprint(l.Addr().(*net.TCPAddr).Port))
	}
	return ports, nil
}
