package traces

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// MarshalJSON writes the record as an audit.k8s.io/v1 Event, keys in kube-apiserver's order; with a newline after it
// it is a line of an audit log.
func (r *AuditRecord) MarshalJSON() ([]byte, error) {
	b := []byte(`{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":`)
	b = appendString(b, r.Level)
	b = appendString(append(b, `,"auditID":`...), r.ID)
	b = appendString(append(b, `,"stage":`...), r.Stage)
	b = appendString(append(b, `,"requestURI":`...), r.URI)
	b = appendString(append(b, `,"verb":`...), r.Verb)
	b = appendString(append(b, `,"user":{"username":`...), r.User)
	b = append(b, `,"groups":[`...)
	if strings.HasPrefix(r.User, nodeUser) {
		b = append(b, `"system:nodes",`...)
	}
	b = append(b, `"system:authenticated"]}`...)
	b = appendField(b, `,"userAgent":`, r.UserAgent)
	b = r.appendReference(b)
	b = r.appendStatus(b)
	var err error
	if b, err = appendObject(b, `,"requestObject":`, r.Object); err != nil {
		return nil, err
	}
	if b, err = appendObject(b, `,"responseObject":`, r.response()); err != nil {
		return nil, err
	}
	b = append(b, `,"requestReceivedTimestamp":"`...)
	b = r.Received.UTC().AppendFormat(b, microTime)
	b = append(b, `","stageTimestamp":"`...)
	b = r.Completed.UTC().AppendFormat(b, microTime)
	return append(b, `"}`...), nil
}

// microTime is the format of metav1.MicroTime.
const microTime = "2006-01-02T15:04:05.000000Z07:00"

func (r *AuditRecord) appendReference(b []byte) []byte {
	if r.Resource == "" {
		return b
	}
	b = appendString(append(b, `,"objectRef":{"resource":`...), r.Resource)
	b = appendField(b, `,"namespace":`, r.Namespace)
	b = appendField(b, `,"name":`, r.Name)
	b = appendField(b, `,"apiGroup":`, r.Group)
	b = append(b, `,"apiVersion":"v1"`...)
	b = appendField(b, `,"subresource":`, r.Subresource)
	return append(b, '}')
}

func (r *AuditRecord) appendStatus(b []byte) []byte {
	if r.Code == 0 && r.Reason == "" && r.Message == "" {
		return b
	}
	b = append(b, `,"responseStatus":{"metadata":{}`...)
	if r.Code >= 400 || r.Reason != "" {
		b = append(b, `,"status":"Failure"`...)
	}
	b = appendField(b, `,"message":`, r.Message)
	b = appendField(b, `,"reason":`, r.Reason)
	if r.Code != 0 {
		b = append(b, `,"code":`...)
		b = strconv.AppendInt(b, int64(r.Code), 10)
	}
	return append(b, '}')
}

// response is the response object; if only its resource version is known, one that holds just that.
func (r *AuditRecord) response() json.RawMessage {
	if len(r.ResponseObject) > 0 || r.ResourceVersion == "" {
		return r.ResponseObject
	}
	return append(appendString([]byte(`{"metadata":{"resourceVersion":`), r.ResourceVersion), "}}"...)
}

func appendObject(b []byte, key string, object json.RawMessage) ([]byte, error) {
	if len(object) == 0 {
		return b, nil
	}
	var compact bytes.Buffer // an indented body would break the line
	if err := json.Compact(&compact, object); err != nil {
		return nil, fmt.Errorf("%s: %w", strings.Trim(key, `,":`), err)
	}
	return append(append(b, key...), compact.Bytes()...), nil
}
