package serve

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/holter-sim/holter/scenario"
	"github.com/holter-sim/holter/sim"
	"github.com/holter-sim/holter/traces"
)

// Options say what is served, and where.
type Options struct {
	// Scenario must be valid.
	Scenario *scenario.Scenario
	// Speed is 1 if it is 0.
	Speed Speed
	// Listen is a TCP address, host:port; "" is 127.0.0.1:0, a free port.
	Listen string
	// Begins is the instant of the wall at which the run begins; zero is now.
	Begins time.Time
	// Sinks take every event of the trace.
	Sinks []traces.Sink
	// Log is told what a client has come across that is a bug here; nil is nobody.
	Log func(text string)
}

// Server is a simulated cluster behind HTTP.
type Server struct {
	cluster *scenario.Cluster
	loop    *loop
	host    *sim.Host       // of all clients; the loop's own
	names   map[string]bool // of clients; the loop's own
	chunk   []byte          // of all feeds; the loop's own

	listener net.Listener
	http     *http.Server
	access   access
	tell     func(text string)
	serving  sync.WaitGroup // the listener and every connection

	meddled bool // the loop's own: somebody from outside has had a part in the run

	inside, insideBytes int // the loop's own: requests in the engine
	initial             int // the loop's own: what watches have begun with

	requests, watches counter
	bodies            chan struct{}
	held              atomic.Int64 // bytes of answers
}

// Start begins a run and serves it, until Close.
func Start(o Options) (*Server, error) {
	if o.Speed == 0 {
		o.Speed = 1
	}
	if o.Listen == "" {
		o.Listen = "127.0.0.1:0"
	}
	listener, err := net.Listen("tcp", o.Listen)
	if err != nil {
		return nil, err
	}
	real := o.Begins
	if real.IsZero() {
		real = time.Now()
	}
	start := o.Speed.Start(real, o.Scenario.Spec.Duration.Duration)
	cluster, err := scenario.Build(o.Scenario, scenario.Options{Sinks: o.Sinks, Start: start, PodsOfOthers: true})
	if err != nil {
		listener.Close()
		return nil, err
	}
	access, err := newAccess(listener.Addr(), real)
	if err != nil {
		cluster.Close()
		listener.Close()
		return nil, err
	}
	s := &Server{
		cluster:  cluster,
		loop:     newLoop(cluster, o.Speed, real, sim.Time(real.Sub(start)%time.Second)),
		host:     cluster.Engine().NewHost("http"),
		names:    map[string]bool{},
		chunk:    make([]byte, 64<<10),
		listener: listener,
		access:   access,
		tell:     o.Log,
		bodies:   make(chan struct{}, mostBodies),
	}
	s.http = s.newHTTP()
	go s.loop.run()
	if s.access.certificate != nil {
		listener = tls.NewListener(listener, &tls.Config{Certificates: []tls.Certificate{*s.access.certificate}, MinVersion: tls.VersionTLS12})
	}
	s.serving.Go(func() { _ = s.http.Serve(listener) }) // it ends with Close, and says so
	return s, nil
}

func (s *Server) newHTTP() *http.Server {
	return &http.Server{
		Handler:           s,
		ReadHeaderTimeout: headerTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    mostHeader,
		ErrorLog:          log.New(io.Discard, "", 0),
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			if secure, ok := c.(*tls.Conn); ok {
				c = secure.NetConn()
			}
			if tcp, ok := c.(*net.TCPConn); ok {
				_ = tcp.SetWriteBuffer(socketBuffer) // or else the kernel keeps more
			}
			s.serving.Add(1)
			return context.WithValue(ctx, connectionKey{}, &connection{})
		},
		ConnState: func(_ net.Conn, state http.ConnState) {
			if state == http.StateClosed {
				s.serving.Done()
			}
		},
	}
}

// Address is where the server listens.
func (s *Server) Address() net.Addr { return s.listener.Addr() }

// URL is where clients on this machine find the server.
func (s *Server) URL() string {
	addr := s.listener.Addr().(*net.TCPAddr)
	host := addr.IP.String()
	if addr.IP.IsUnspecified() {
		host = "127.0.0.1"
	}
	return s.access.scheme() + "://" + net.JoinHostPort(host, fmt.Sprint(addr.Port))
}

// Token is what every request must bear, "" for nothing.
func (s *Server) Token() string { return s.access.token }

// Do lets f use the cluster between two events; false if the run has ended. f must
// not run the cluster.
func (s *Server) Do(f func(c *scenario.Cluster)) bool {
	return s.loop.do(func() { f(s.cluster) })
}

// Ended is closed when the run has ended by itself, which is an error, or was closed.
func (s *Server) Ended() <-chan struct{} { return s.loop.gone }

// Close ends the run where it is, lets go of all clients, and judges the run. The
// error is what had ended it before: a panic in the model, or a sink that failed.
func (s *Server) Close() (*scenario.Result, error) {
	s.loop.stop()
	closed := s.http.Close()
	s.serving.Wait()
	defer s.cluster.Close()
	if s.loop.err != nil {
		return nil, s.loop.err
	}
	if closed != nil && !errors.Is(closed, net.ErrClosed) {
		return nil, closed
	}
	return s.cluster.Result(), nil
}

// Now is, after Close, how far the run has come.
func (s *Server) Now() time.Duration { return s.cluster.Now() }

// Meddled tells, after Close, whether anybody from outside has written something or
// let a fault strike. If not, the run is the one that its scenario has anywhere.
func (s *Server) Meddled() bool { return s.meddled }

// log is for the loop's goroutine.
func (s *Server) log(text string, args ...any) {
	if s.tell != nil {
		s.tell(fmt.Sprintf(text, args...))
	}
}
