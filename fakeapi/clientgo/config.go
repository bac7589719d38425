// Package clientgo speaks to a [fakeapi.Server] by client-go itself: its rest
// configuration and typed clients, over [fakeapi.Transport].
package clientgo

import (
	"net/http"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/holter-sim/holter/fakeapi"
)

// Config returns the rest.Config for clients that speak over fakeapi.Transport:
// without a rate limit, a timeout or retries of client-go's own, which would
// keep the machine's time.
func Config() *rest.Config {
	return &rest.Config{Host: fakeapi.Endpoint, QPS: -1, WarningHandler: rest.NoWarnings{}}
}

// HTTPClient returns the http.Client to give to NewForConfigAndClient.
func HTTPClient(c *fakeapi.Client) *http.Client { return &http.Client{Transport: fakeapi.Transport(c)} }

// Interface returns requests that look like those of a client-go with the
// client's timeout in its rest.Config, which are told from others by the
// parameter timeout, and which client-go does not try again by itself. Errors
// then have the very text of native ones.
func Interface(of rest.Interface, c *fakeapi.Client) rest.Interface {
	return restInterface{Interface: of, client: c}
}

type restInterface struct {
	rest.Interface
	client *fakeapi.Client
}

func (r restInterface) dress(q *rest.Request) *rest.Request {
	if t := r.client.Timeout(); t > 0 {
		q = q.Param("timeout", t.String())
	}
	return q.MaxRetries(0)
}

func (r restInterface) Verb(verb string) *rest.Request { return r.dress(r.Interface.Verb(verb)) }
func (r restInterface) Post() *rest.Request            { return r.dress(r.Interface.Post()) }
func (r restInterface) Put() *rest.Request             { return r.dress(r.Interface.Put()) }
func (r restInterface) Get() *rest.Request             { return r.dress(r.Interface.Get()) }
func (r restInterface) Delete() *rest.Request          { return r.dress(r.Interface.Delete()) }
func (r restInterface) Patch(typ types.PatchType) *rest.Request {
	return r.dress(r.Interface.Patch(typ))
}
