package serve

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"time"
)

// certificateLasts is how long a simulation may be served.
const certificateLasts = 365 * 24 * time.Hour

// newCertificate makes the certificate of a server at that address, which clients
// know by the kubeconfig. It is for every name that this machine may have for others.
func newCertificate(ip net.IP, now time.Time) (*tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber:          serial,
		Subject:               pkix.Name{CommonName: contextName},
		NotBefore:             now.Add(-time.Hour), // for clients whose clocks are behind
		NotAfter:              now.Add(certificateLasts),
		KeyUsage:              x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true,
		IsCA:                  true,
		DNSNames:              []string{"localhost"},
		IPAddresses:           addresses(ip),
	}
	if name, err := os.Hostname(); err == nil && name != "" {
		template.DNSNames = append(template.DNSNames, name)
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, nil
}

// addresses are those that lead to a server on this one: itself, or all that the
// machine has.
func addresses(ip net.IP) []net.IP {
	list := []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback}
	if ip != nil && !ip.IsUnspecified() {
		return append(list, ip)
	}
	all, _ := net.InterfaceAddrs()
	for _, a := range all {
		if network, ok := a.(*net.IPNet); ok {
			list = append(list, network.IP)
		}
	}
	return list
}

// authority is what a kubeconfig has of the certificate, nil for none.
func authority(certificate *tls.Certificate) []byte {
	if certificate == nil {
		return nil
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate.Certificate[0]})
}
