package registry

import (
	"io"
	"net/http"
	"sync"
)

// Loopback serves a server to clients on sockets, one request after another. A
// watch is told what there is by then, and stays open without another word.
type Loopback struct {
	mu     sync.Mutex
	server Server
}

// ServeHTTP implements http.Handler.
func (l *Loopback) ServeHTTP(w http.ResponseWriter, h *http.Request) {
	body, err := io.ReadAll(h.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	r := &Request{Method: h.Method, Path: h.URL.RequestURI(), Header: map[string]string{}, Body: string(body)}
	for key := range h.Header {
		r.Header[key] = h.Header.Get(key)
	}
	delete(r.Header, "Accept-Encoding")
	l.mu.Lock()
	resp := l.server.Do(r)
	l.mu.Unlock()
	for key, values := range resp.Header {
		w.Header()[key] = values
	}
	if resp.Code == 0 {
		resp.Code = http.StatusInternalServerError
	}
	w.WriteHeader(resp.Code)
	_, _ = w.Write(resp.Body)
	if r.watches() && resp.Code == http.StatusOK {
		if f, ok := w.(http.Flusher); ok {
			f.Flush()
		}
		<-h.Context().Done()
	}
}
