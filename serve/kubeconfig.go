package serve

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// contextName is what a kubeconfig calls the simulation: its cluster, its user and
// its context.
const contextName = "holter"

// Kubeconfig is the text of a kubeconfig that leads to the server.
func (s *Server) Kubeconfig() ([]byte, error) {
	c := clientcmdapi.NewConfig()
	c.Clusters[contextName] = &clientcmdapi.Cluster{Server: s.URL(), CertificateAuthorityData: authority(s.access.certificate)}
	c.AuthInfos[contextName] = &clientcmdapi.AuthInfo{Token: s.Token()}
	c.Contexts[contextName] = &clientcmdapi.Context{Cluster: contextName, AuthInfo: contextName}
	c.CurrentContext = contextName
	return clientcmd.Write(*c)
}

// KubeconfigFile is a kubeconfig that was written for a simulation.
type KubeconfigFile struct {
	Path string // absolute
	text []byte
}

// ErrNotOurs is why a file is not replaced: it is not one that was left behind by an
// earlier simulation.
var ErrNotOurs = errors.New("is there already, and leads elsewhere")

// WriteKubeconfig writes the kubeconfig to a file that only its owner can read, all
// of it or nothing. path "" is a new file in the folder for temporary ones. A file
// that is there is left alone (ErrNotOurs), unless it holds nothing but a simulation.
func (s *Server) WriteKubeconfig(path string) (*KubeconfigFile, error) {
	text, err := s.Kubeconfig()
	if err != nil {
		return nil, err
	}
	folder, name := os.TempDir(), "holter-*.kubeconfig"
	if path != "" {
		if path, err = filepath.Abs(path); err != nil {
			return nil, err
		}
		if err := checkReplaceable(path); err != nil {
			return nil, err
		}
		folder, name = filepath.Dir(path), "."+filepath.Base(path)+".*"
	}
	file, err := os.CreateTemp(folder, name) // with mode 0600
	if err != nil {
		return nil, err
	}
	written := file.Name()
	_, err = file.Write(text)
	if err = errors.Join(err, file.Close()); err == nil && path != "" {
		err = os.Rename(written, path)
	}
	if err != nil {
		os.Remove(written)
		return nil, err
	}
	if path == "" {
		path = written
	}
	return &KubeconfigFile{Path: path, text: text}, nil
}

// checkReplaceable lets pass a path where there is nothing, or what an earlier
// simulation has left.
func checkReplaceable(path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return ErrNotOurs
	}
	there, err := clientcmd.LoadFromFile(path)
	if err != nil {
		return ErrNotOurs
	}
	_, ours := there.Clusters[contextName]
	if !ours || len(there.Clusters) != 1 || len(there.Contexts) != 1 || len(there.AuthInfos) > 1 {
		return ErrNotOurs
	}
	return nil
}

// Remove removes the file, unless somebody has put another in its place.
func (k *KubeconfigFile) Remove() error {
	there, err := os.ReadFile(k.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && !bytes.Equal(there, k.text):
		return nil
	case err != nil:
		return err
	}
	return os.Remove(k.Path)
}
