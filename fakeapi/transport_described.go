package fakeapi

import (
	"net/http"
	"slices"
	"strings"

	"github.com/holter-sim/holter/fakeapi/wire"
)

// Described returns what answers a request that is not about objects (discovery,
// OpenAPI, /version, health) outside of any process: at once, as [Transport] would
// after its latency, without an observer, and from several goroutines if need be.
// For any other request it returns nil. Whether the answer would have come through
// is for [Client.Undisturbed] to say.
//
// It is for clients in goroutines that hold a lock until they have the answer, as
// the RESTMapper of controller-runtime does.
func Described(c *Client) func(h *http.Request) *http.Response {
	about := c.s.about()
	return func(h *http.Request) *http.Response {
		if wire.ParseInfo(h.Method, h.URL.Path, false).IsResource {
			return nil
		}
		a := &answer{}
		document, refused := about.Document(h.Method, h.URL.Path, h.Header.Get("Accept"))
		if refused != nil {
			return a.refusal(refused, h)
		}
		return a.bytes(http.StatusOK, document.ContentType, document.Body, h)
	}
}

// Undisturbed tells whether a GET of a path that is not about objects would reach
// the server now and be answered: the server runs, and no rule in force loses such
// a request of the client, or its answer, or responds in the server's place.
func (c *Client) Undisturbed() bool {
	host := c.s.host
	return host.Alive() && !host.Paused() && !slices.ContainsFunc(c.s.network.rules, func(u *rule) bool {
		return (u.LoseRequest || u.LoseReply || u.Respond != nil) && (u.Count == 0 || u.used < u.Count) && u.matchesPaths(c)
	})
}

// matchesPaths reports whether a GET of some path that is not about objects matches.
func (u *rule) matchesPaths(c *Client) bool {
	names := slices.DeleteFunc(slices.Clone(u.Match.Names), func(name string) bool { return !strings.HasPrefix(name, "/") })
	if len(names) == 0 && len(u.Match.Names) > 0 {
		return false
	}
	return u.matches(c, "get", "", "") || len(names) > 0 && u.matches(c, "get", "", names[0])
}
