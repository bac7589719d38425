package registry

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/holter-sim/holter/fakeapi"
	"github.com/holter-sim/holter/sim"
)

// Ours is Holter's API server on an engine of its own, asked through its wire
// surface.
type Ours struct {
	engine  *sim.Engine
	host    *sim.Host
	server  *fakeapi.Server
	clients map[string]http.RoundTripper // by user
}

// NewOurs starts a server. It must be closed.
func NewOurs() *Ours {
	o := &Ours{}
	o.start()
	return o
}

func (o *Ours) start() {
	o.engine = sim.New(sim.Options{Seed: 1})
	o.server = fakeapi.New(o.engine, fakeapi.Options{CheckImmutable: true, NodeRestriction: true})
	o.host = o.engine.NewHost("client")
	o.clients = map[string]http.RoundTripper{}
}

// Close ends the engine.
func (o *Ours) Close() { o.engine.Close() }

// Reset implements Server: it starts another server.
func (o *Ours) Reset() error {
	o.Close()
	o.start()
	return nil
}

// Restart implements Server.
func (o *Ours) Restart() error {
	o.server.Host().Kill()
	o.server.Host().Restart()
	return nil
}

// Settle implements Server: nothing here is behind.
func (o *Ours) Settle() error { return nil }

// client is the transport of a user.
func (o *Ours) client(user string) http.RoundTripper {
	if o.clients[user] == nil {
		o.clients[user] = fakeapi.Transport(o.server.NewClient(fakeapi.ClientOptions{
			Host: o.host, Name: "client/" + user, User: user}))
	}
	return o.clients[user]
}

// watched is how long a watch is listened to, on virtual time.
const watched = 5 * time.Second

// Do implements Server: it sends the request from a process, and lets the
// engine run until the answer is there. Code 0 is for no answer.
func (o *Ours) Do(r *Request) *Response {
	out := &Response{Header: http.Header{}}
	done := false
	o.host.Go("request", func() {
		defer func() { done = true }()
		req := r.http(context.Background(), fakeapi.Endpoint)
		user := req.Header.Get(UserHeader)
		req.Header.Del(UserHeader)
		resp, err := o.client(user).RoundTrip(req)
		if err != nil {
			out.Body = []byte(err.Error())
			return
		}
		out.Code, out.Header = resp.StatusCode, resp.Header
		out.read(resp.Body)
	})
	var err error
	if r.watches() {
		err = o.engine.RunUntil(o.engine.Now() + sim.Time(watched))
	} else {
		err = o.engine.RunWhile(func() bool { return !done }, sim.Never)
	}
	if p := (*sim.ProcessPanic)(nil); errors.As(err, &p) {
		return &Response{Header: http.Header{}, Body: fmt.Appendf(nil, "panic: %v\n%s", p.Value, p.Stack)}
	}
	return out
}

// read takes a body as it comes, for a watch's never ends.
func (r *Response) read(body io.Reader) {
	buffer := make([]byte, 1<<16)
	for {
		n, err := body.Read(buffer)
		r.Body = append(r.Body, buffer[:n]...)
		if err != nil {
			return
		}
	}
}
