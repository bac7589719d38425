package serve

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"crypto/tls"
	"encoding/hex"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// access decides who may come.
type access struct {
	token       string           // that every request must bear; "" on a loopback address
	certificate *tls.Certificate // of the server, which has signed it itself; nil without TLS
}

// newAccess asks for a token, and so for TLS, unless only this machine can reach the
// address. kubectl sends no token without TLS.
func newAccess(addr net.Addr, now time.Time) (access, error) {
	tcp, ok := addr.(*net.TCPAddr)
	if ok && tcp.IP.IsLoopback() {
		return access{}, nil
	}
	var ip net.IP
	if ok {
		ip = tcp.IP
	}
	certificate, err := newCertificate(ip, now)
	if err != nil {
		return access{}, err
	}
	secret := make([]byte, 32)
	_, _ = rand.Read(secret) // it never fails
	return access{token: hex.EncodeToString(secret), certificate: certificate}, nil
}

func (a access) scheme() string {
	if a.certificate != nil {
		return "https"
	}
	return "http"
}

// check refuses who may not come.
func (a access) check(r *http.Request) *apierrors.StatusError {
	if a.token != "" {
		given, found := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if !found || !same(given, a.token) {
			return apierrors.NewUnauthorized("the bearer token in the kubeconfig of this simulation is needed")
		}
		return nil
	}
	// Whatever page this machine's browser shows can send requests here. Its browser
	// says where they come from, and by which name it has found this address.
	if !loopbackHost(r.Host) {
		return forbidden("a request for the host " + r.Host + ", which is not this machine's loopback")
	}
	if origin := r.Header.Get("Origin"); origin != "" {
		if u, err := url.Parse(origin); err != nil || u.Host != r.Host {
			return forbidden("a request of a page from " + origin)
		}
	}
	if site := r.Header.Get("Sec-Fetch-Site"); site == "cross-site" {
		return forbidden("a request of a page from another site")
	}
	return nil
}

func forbidden(what string) *apierrors.StatusError {
	err := apierrors.NewForbidden(schema.GroupResource{}, "", nil)
	err.ErrStatus.Details = nil
	err.ErrStatus.Message = "forbidden: " + what
	return err
}

// same compares in a time that does not depend on where two texts differ.
func same(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}

// loopbackHost tells whether the Host of a request is a name of the loopback.
func loopbackHost(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.Trim(host, "[]")
	if strings.EqualFold(host, "localhost") {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.IsLoopback()
}
