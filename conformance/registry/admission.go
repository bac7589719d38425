package registry

import (
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/namespace/lifecycle"
	"k8s.io/apiserver/pkg/authentication/authenticator"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/kubernetes/pkg/auth/nodeidentifier"
	"k8s.io/kubernetes/plugin/pkg/admission/defaulttolerationseconds"
	"k8s.io/kubernetes/plugin/pkg/admission/noderestriction"
	"k8s.io/kubernetes/plugin/pkg/admission/nodetaint"
)

// UserHeader is the header in which a request says who sends it; without it, it
// is an administrator. "system:node:NAME" is a kubelet.
const UserHeader = "X-Remote-User"

// everything is an authorizer that allows all.
var everything = authorizerfactory.NewAlwaysAllowAuthorizer()

// byHeader believes what UserHeader says.
type byHeader struct{}

// AuthenticateRequest implements authenticator.Request.
func (byHeader) AuthenticateRequest(r *http.Request) (*authenticator.Response, bool, error) {
	name := r.Header.Get(UserHeader)
	groups := []string{user.NodesGroup, user.AllAuthenticated}
	if name == "" {
		name, groups = "admin", []string{user.SystemPrivilegedGroup, user.AllAuthenticated}
	}
	return &authenticator.Response{User: &user.DefaultInfo{Name: name, Groups: groups}}, true, nil
}

// admissionChain is the plugins that shape what heartbeats write, in
// kube-apiserver's order (pkg/kubeapiserver/options/plugins.go, v1.37.1). Left
// out are those that need resources nobody has here: LimitRanger,
// ServiceAccount, PodSecurity, Priority, ResourceQuota and others.
func admissionChain(r *registries) (admission.Interface, error) {
	life, err := lifecycle.NewLifecycle(sets.New(metav1.NamespaceDefault, metav1.NamespaceSystem, metav1.NamespacePublic))
	if err != nil {
		return nil, err
	}
	life.SetExternalKubeInformerFactory(informersOf(r))
	life.SetExternalKubeClientSet(liveClient{r: r})
	restriction := noderestriction.NewPlugin(nodeidentifier.NewDefaultNodeIdentifier())
	restriction.InspectFeatureGates(utilfeature.DefaultFeatureGate)
	restriction.SetExternalKubeInformerFactory(informersOf(r))
	restriction.SetUnconditionalAuthorizer(everything)
	tolerations := defaulttolerationseconds.NewDefaultTolerationSeconds()
	tolerations.InspectFeatureGates(utilfeature.DefaultFeatureGate)
	return admission.NewChainHandler(life, restriction, nodetaint.NewPlugin(), tolerations), nil
}
