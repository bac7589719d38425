package registry

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/wait"
	openapinamer "k8s.io/apiserver/pkg/endpoints/openapi"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/feature"
	"k8s.io/apiserver/pkg/util/compatibility"
	"k8s.io/apiserver/pkg/util/notfoundhandler"
	restclient "k8s.io/client-go/rest"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/generated/openapi"

	"github.com/holter-sim/holter/fakeapi"

	// The types that upstream's scheme is to know.
	_ "k8s.io/kubernetes/pkg/apis/autoscaling/install"
	_ "k8s.io/kubernetes/pkg/apis/coordination/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	_ "k8s.io/kubernetes/pkg/apis/events/install"
	_ "k8s.io/kubernetes/pkg/apis/policy/install"
)

// Oracle is kube-apiserver v1.37.1 as far as heartbeats see it: its handlers,
// registries, validation, printers and watch caches, without sockets, over a
// Memory.
type Oracle struct {
	memory  *Memory
	handler http.Handler
	caches  []cached
	close   []func()
	quiet   time.Duration // see Patiently
}

// cached is a resource that is read through upstream's watch cache.
type cached struct {
	storage.Interface
	prefix  string
	newList func() runtime.Object
}

// progress says that the storage tells watch caches how far it is, which they
// want to know before they serve lists that must be current. Upstream asks its
// etcd for its version.
type progress struct{ feature.FeatureSupportChecker }

// Supports implements feature.FeatureSupportChecker.
func (p progress) Supports(f storage.Feature) bool {
	return f == storage.RequestWatchProgress || p.FeatureSupportChecker.Supports(f)
}

func init() { feature.DefaultFeatureSupportChecker = progress{feature.DefaultFeatureSupportChecker} }

// NewOracle starts an API server that holds the namespaces every cluster has,
// and nothing else. It must be closed.
func NewOracle() (*Oracle, error) {
	o := &Oracle{memory: NewMemory(), quiet: shortQuiet}
	if err := o.start(); err != nil {
		return nil, err
	}
	return o, o.begin()
}

// start starts the server over what the memory holds.
func (o *Oracle) start() error {
	config := genericapiserver.NewConfig(codecs)
	config.EffectiveVersion = compatibility.DefaultBuildEffectiveVersion()
	config.ExternalAddress = strings.TrimPrefix(fakeapi.Endpoint, "https://")
	config.LoopbackClientConfig = &restclient.Config{}
	config.OpenAPIConfig = genericapiserver.DefaultOpenAPIConfig(openapi.GetOpenAPIDefinitions, openapinamer.NewDefinitionNamer(legacyscheme.Scheme))
	config.OpenAPIV3Config = genericapiserver.DefaultOpenAPIV3Config(openapi.GetOpenAPIDefinitions, openapinamer.NewDefinitionNamer(legacyscheme.Scheme))
	config.Authentication.Authenticator = byHeader{}
	config.Authorization.Authorizer = everything
	config.RESTOptionsGetter = o
	registries, err := o.registries()
	if err != nil {
		return err
	}
	config.AdmissionControl, err = admissionChain(registries)
	if err != nil {
		return err
	}
	complete := func(context.Context) bool { return true }
	server, err := config.Complete(nil).New("oracle",
		genericapiserver.NewEmptyDelegateWithCustomHandler(notfoundhandler.New(codecs, complete)))
	if err != nil {
		return err
	}
	if err := registries.install(server); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	o.close = append([]func(){cancel, server.Destroy}, o.close...)
	if _, _, err := server.PrepareRun().NonBlockingRunWithContext(ctx, 0); err != nil {
		return err
	}
	o.handler = server.Handler
	return o.healthy(ctx)
}

// Restart implements Server: another server over the same memory, whose watch
// caches begin anew.
func (o *Oracle) Restart() error {
	o.Close()
	if err := o.start(); err != nil {
		return err
	}
	return o.Settle()
}

// codecs are what the server speaks: JSON, YAML and protobuf.
var codecs = serializer.NewCodecFactory(legacyscheme.Scheme)

// Handler answers requests. The user is in a header: see [UserHeader].
func (o *Oracle) Handler() http.Handler { return o.handler }

// Close ends the server's goroutines.
func (o *Oracle) Close() {
	for _, f := range o.close {
		f()
	}
	o.close, o.caches = nil, nil
}

// Reset deletes everything but what the server started with.
func (o *Oracle) Reset() error {
	o.memory.Clear("/registry/")
	return o.begin()
}

// healthy waits until the server says that it has started.
func (o *Oracle) healthy(ctx context.Context) error {
	return wait.PollUntilContextTimeout(ctx, time.Millisecond, 10*time.Second, true, func(context.Context) (bool, error) {
		return o.Do(&Request{Method: "GET", Path: "/readyz"}).Code == http.StatusOK, nil
	})
}

// startNamespaces are those that kube-apiserver itself creates.
var startNamespaces = []string{metav1.NamespaceDefault, metav1.NamespaceSystem, metav1.NamespacePublic, "kube-node-lease"}

func (o *Oracle) begin() error {
	for _, name := range startNamespaces {
		answer := o.Do(&Request{Method: "POST", Path: "/api/v1/namespaces", Body: `{"metadata":{"name":"` + name + `"}}`})
		if answer.Code != http.StatusCreated {
			return fmt.Errorf("create namespace %s: %d %s", name, answer.Code, answer.Body)
		}
	}
	return o.Settle()
}

// Settle waits until every watch cache has seen the last write, so that what is
// read from a cache does not depend on how fast it is.
func (o *Oracle) Settle() error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	options := storage.ListOptions{ResourceVersion: fmt.Sprint(o.memory.Revision()), Recursive: true,
		ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan, Predicate: storage.Everything}
	for _, c := range o.caches {
		if err := c.GetList(ctx, c.prefix, options, c.newList()); err != nil {
			return fmt.Errorf("watch cache of %s: %w", c.prefix, err)
		}
	}
	return nil
}
