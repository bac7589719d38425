package scenario

import (
	"net/http"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/holter-sim/holter/fakeapi"
)

// respondAction has the API server answer with an error instead of handling
// the request.
type respondAction struct{ *RespondFault }

func (a respondAction) verb() string     { return "respond" }
func (a respondAction) nodes() []string  { return a.Nodes }
func (a respondAction) describe() string { return strconv.Itoa(a.Code) }

func (a respondAction) begin(c *Cluster) func() {
	return c.server.Network().Add(fakeapi.Rule{
		Name:  a.verb(),
		Match: a.match(c),
		Count: a.Count,
		Respond: &metav1.Status{
			Status:  metav1.StatusFailure,
			Code:    int32(a.Code),
			Reason:  a.reason(),
			Message: "answered by the fault respond",
		},
	})
}

// reason is the one given, or the one that goes with the code.
func (a respondAction) reason() metav1.StatusReason {
	if a.Reason != "" {
		return metav1.StatusReason(a.Reason)
	}
	switch a.Code {
	case http.StatusBadRequest:
		return metav1.StatusReasonBadRequest
	case http.StatusUnauthorized:
		return metav1.StatusReasonUnauthorized
	case http.StatusForbidden:
		return metav1.StatusReasonForbidden
	case http.StatusNotFound:
		return metav1.StatusReasonNotFound
	case http.StatusConflict:
		return metav1.StatusReasonConflict
	case http.StatusGone:
		return metav1.StatusReasonExpired
	case http.StatusTooManyRequests:
		return metav1.StatusReasonTooManyRequests
	case http.StatusInternalServerError:
		return metav1.StatusReasonInternalError
	case http.StatusServiceUnavailable:
		return metav1.StatusReasonServiceUnavailable
	case http.StatusGatewayTimeout:
		return metav1.StatusReasonTimeout
	default:
		return metav1.StatusReasonUnknown
	}
}
