package registry

import (
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/registry/rest"
	genericapiserver "k8s.io/apiserver/pkg/server"
	serverstorage "k8s.io/apiserver/pkg/server/storage"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/cacher"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/apiserver/pkg/storage/storagebackend/factory"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/cache"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	kubeletclient "k8s.io/kubernetes/pkg/kubelet/client"
	leasestore "k8s.io/kubernetes/pkg/registry/coordination/lease/storage"
	eventstore "k8s.io/kubernetes/pkg/registry/core/event/storage"
	namespacestore "k8s.io/kubernetes/pkg/registry/core/namespace/storage"
	nodestore "k8s.io/kubernetes/pkg/registry/core/node/storage"
	podstore "k8s.io/kubernetes/pkg/registry/core/pod/storage"
)

// eventTTL is kube-apiserver's default of --event-ttl. Nothing expires here.
const eventTTL = time.Hour

// registries are upstream's, by the resource they serve.
type registries struct {
	core, coordination, events map[string]rest.Storage

	nodes, pods, namespaces rest.Getter
}

// registries builds the registries as pkg/registry/core/rest (v1.37.1) does.
func (o *Oracle) registries() (*registries, error) {
	event, err := eventstore.NewREST(o, uint64(eventTTL.Seconds()))
	if err != nil {
		return nil, err
	}
	namespace, namespaceStatus, namespaceFinalize, err := namespacestore.NewREST(o)
	if err != nil {
		return nil, err
	}
	node, err := nodestore.NewStorage(o, kubeletclient.KubeletClientConfig{}, nil)
	if err != nil {
		return nil, err
	}
	noBudgets := fake.NewClientset().PolicyV1()
	pod, err := podstore.NewStorage(o, node.KubeletConnectionInfo, nil, noBudgets, everything)
	if err != nil {
		return nil, err
	}
	lease, err := leasestore.NewREST(o)
	if err != nil {
		return nil, err
	}
	return &registries{
		core: map[string]rest.Storage{
			"events":     event,
			"namespaces": namespace, "namespaces/status": namespaceStatus, "namespaces/finalize": namespaceFinalize,
			"nodes": node.Node, "nodes/status": node.Status,
			"pods": pod.Pod, "pods/status": pod.Status, "pods/binding": pod.Binding, "pods/eviction": pod.Eviction,
			"pods/ephemeralcontainers": pod.EphemeralContainers, "pods/resize": pod.Resize,
			"bindings": pod.LegacyBinding,
		},
		coordination: map[string]rest.Storage{"leases": lease},
		events:       map[string]rest.Storage{"events": event},
		nodes:        node.Node, pods: pod.Pod, namespaces: namespace,
	}, nil
}

// install lets a server serve the registries.
func (r *registries) install(server *genericapiserver.GenericAPIServer) error {
	core := group("", "v1", r.core)
	if err := server.InstallLegacyAPIGroup(genericapiserver.DefaultLegacyAPIPrefix, core); err != nil {
		return err
	}
	return server.InstallAPIGroups(
		group(coordinationv1.GroupName, "v1", r.coordination),
		group(eventsv1.GroupName, "v1", r.events))
}

func group(name, version string, resources map[string]rest.Storage) *genericapiserver.APIGroupInfo {
	info := genericapiserver.NewDefaultAPIGroupInfo(name, legacyscheme.Scheme, legacyscheme.ParameterCodec, legacyscheme.Codecs)
	info.PrioritizedVersions = []schema.GroupVersion{{Group: name, Version: version}}
	info.VersionedResourcesStorageMap[version] = resources
	if name == "" {
		info.OptionsExternalVersion = nil
	}
	return &info
}

// GetRESTOptions implements generic.RESTOptionsGetter: every resource is stored
// in the memory, as protobuf.
func (o *Oracle) GetRESTOptions(resource schema.GroupResource, _ runtime.Object) (generic.RESTOptions, error) {
	version := schema.GroupVersion{Group: resource.Group, Version: "v1"}
	codec, _, err := serverstorage.NewStorageCodec(serverstorage.StorageCodecConfig{
		StorageMediaType:  runtime.ContentTypeProtobuf,
		StorageSerializer: legacyscheme.Codecs,
		StorageVersion:    version,
		MemoryVersion:     schema.GroupVersion{Group: resource.Group, Version: runtime.APIVersionInternal},
	})
	if err != nil {
		return generic.RESTOptions{}, err
	}
	prefix := resource.Resource
	if resource.Resource == "nodes" && resource.Group == corev1.GroupName {
		prefix = "minions"
	}
	return generic.RESTOptions{
		StorageConfig:           (&storagebackend.Config{Prefix: "/registry", Codec: codec}).ForResource(resource),
		Decorator:               o.decorate,
		EnableGarbageCollection: true,
		DeleteCollectionWorkers: 1,
		ResourcePrefix:          prefix,
	}, nil
}

// decorate is generic/registry.StorageWithCacher (apiserver v0.37.1) over the
// memory. Events have no watch cache, as in kube-apiserver.
func (o *Oracle) decorate(config *storagebackend.ConfigForResource, prefix string, key func(runtime.Object) (string, error),
	newObject, newList func() runtime.Object, attrs storage.AttrFunc, triggers storage.IndexerFuncs, indexers *cache.Indexers,
) (storage.Interface, factory.DestroyFunc, error) {
	stored := &objects{memory: o.memory, codec: config.Codec, prefix: config.Prefix, resource: prefix, newFunc: newObject}
	if config.GroupResource.Resource == "events" {
		return stored, func() {}, nil
	}
	c, err := cacher.NewCacherFromConfig(cacher.Config{
		Storage: stored, Versioner: stored.versioner, GroupResource: config.GroupResource, EventsHistoryWindow: 75 * time.Second,
		ResourcePrefix: prefix, KeyFunc: key, NewFunc: newObject, NewListFunc: newList, GetAttrsFunc: attrs,
		IndexerFuncs: triggers, Indexers: indexers, Codec: config.Codec,
	})
	if err != nil {
		return nil, nil, err
	}
	delegator := cacher.NewCacheDelegator(c, stored)
	o.caches = append(o.caches, cached{delegator, prefix, newList})
	stop := func() {
		delegator.Stop()
		c.Stop()
	}
	o.close = append(o.close, stop)
	return delegator, func() {}, nil
}
