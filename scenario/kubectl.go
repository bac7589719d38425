package scenario

import (
	"github.com/holter-sim/holter/fakeapi"
)

// kubectl runs what an administrator does, as a process of its own: do gets a
// client. of names what it is about.
func (c *Cluster) kubectl(of string, do func(*fakeapi.Client)) {
	host := c.newHost("kubectl/" + of)
	client := c.server.NewClient(fakeapi.ClientOptions{Host: host, Name: "kubectl", User: "admin", UserAgent: "kubectl"})
	host.Go("kubectl", func() { do(client) })
}
