/* Calls of XLA's foreign function interface, handed to Python: what memory a call has, and on which stream it is.
   One handler for each platform serves all functions; the attribute `key` says which.  */
#include <string.h>

#include "xla/ffi/api/c_api.h"

#define HETAD_MESSAGE 4096

typedef struct {
    void *data;
    const int64_t *dims;
    int64_t rank;
    int32_t dtype; /* XLA_FFI_DataType */
} hetad_array;

typedef struct {
    const char *key;
    int64_t key_length;
    const hetad_array *inputs;
    const hetad_array *outputs;
    int64_t input_count;
    int64_t output_count;
    void *stream; /* of CUDA */
    int32_t device; /* -1 for the host */
    char *message; /* where a failure is described, HETAD_MESSAGE bytes */
} hetad_jax_call;

static int (*hetad_serve)(const hetad_jax_call *);

void hetad_jax_connect(int (*serve)(const hetad_jax_call *))
{
    hetad_serve = serve;
}

static XLA_FFI_Error *hetad_error(const XLA_FFI_Api *api, const char *message)
{
    XLA_FFI_Error_Create_Args args;
    memset(&args, 0, sizeof args);
    args.struct_size = XLA_FFI_Error_Create_Args_STRUCT_SIZE;
    args.message = message;
    args.errc = XLA_FFI_Error_Code_INVALID_ARGUMENT;
    return api->XLA_FFI_Error_Create(&args);
}

/* XLA asks once what the handler was compiled for.  */
static XLA_FFI_Error *hetad_describe(XLA_FFI_Metadata *metadata)
{
    metadata->api_version.struct_size = XLA_FFI_Api_Version_STRUCT_SIZE;
    metadata->api_version.major_version = XLA_FFI_API_MAJOR;
    metadata->api_version.minor_version = XLA_FFI_API_MINOR;
    metadata->traits = 0;
#if XLA_FFI_API_MINOR >= 2
    metadata->state_type_id.type_id = 0;
#endif
    return 0;
}

static int hetad_read(hetad_array *array, const void *buffer)
{
    const XLA_FFI_Buffer *found = buffer;
    if (found->rank < 0 || (found->rank > 0 && !found->dims))
        return 1;
    array->data = found->data;
    array->dims = found->dims;
    array->rank = found->rank;
    array->dtype = (int32_t)found->dtype;
    return 0;
}

/* Inputs and outputs, in order, all of them arrays.  */
static int hetad_read_all(hetad_array *arrays, const XLA_FFI_CallFrame *frame)
{
    for (int64_t i = 0; i < frame->args.size; i++)
        if (frame->args.types[i] != XLA_FFI_ArgType_BUFFER || hetad_read(arrays++, frame->args.args[i]))
            return 1;
    for (int64_t i = 0; i < frame->rets.size; i++)
        if (frame->rets.types[i] != XLA_FFI_RetType_BUFFER || hetad_read(arrays++, frame->rets.rets[i]))
            return 1;
    return 0;
}

static int hetad_read_key(hetad_jax_call *call, const XLA_FFI_Attrs *attributes)
{
    if (attributes->size != 1 || attributes->types[0] != XLA_FFI_AttrType_STRING)
        return 1;
    const XLA_FFI_ByteSpan *name = attributes->names[0], *value = attributes->attrs[0];
    if (name->len != 3 || memcmp(name->ptr, "key", 3))
        return 1;
    call->key = value->ptr;
    call->key_length = (int64_t)value->len;
    return 0;
}

static XLA_FFI_Error *hetad_read_stream(hetad_jax_call *call, const XLA_FFI_CallFrame *frame)
{
    XLA_FFI_Stream_Get_Args stream;
    memset(&stream, 0, sizeof stream);
    stream.struct_size = XLA_FFI_Stream_Get_Args_STRUCT_SIZE;
    stream.ctx = frame->ctx;
    XLA_FFI_Error *failed = frame->api->XLA_FFI_Stream_Get(&stream);
    if (failed)
        return failed;
    call->stream = stream.stream;
    XLA_FFI_DeviceOrdinal_Get_Args device;
    memset(&device, 0, sizeof device);
    device.struct_size = XLA_FFI_DeviceOrdinal_Get_Args_STRUCT_SIZE;
    device.ctx = frame->ctx;
    failed = frame->api->XLA_FFI_DeviceOrdinal_Get(&device);
    call->device = device.device_ordinal;
    return failed;
}

static XLA_FFI_Error *hetad_handle(XLA_FFI_CallFrame *frame, int on_device)
{
    if (frame->extension_start && frame->extension_start->type == XLA_FFI_Extension_Metadata)
        return hetad_describe(((XLA_FFI_Metadata_Extension *)frame->extension_start)->metadata);
    if (frame->stage != XLA_FFI_ExecutionStage_EXECUTE)
        return hetad_error(frame->api, "hetad: a handler for execution alone");
    char message[HETAD_MESSAGE] = "";
    int64_t count = frame->args.size + frame->rets.size;
    hetad_array arrays[count > 0 ? count : 1];
    hetad_jax_call call;
    memset(&call, 0, sizeof call);
    if (hetad_read_all(arrays, frame) || hetad_read_key(&call, &frame->attrs))
        return hetad_error(frame->api, "hetad: a call with other arguments than hetad.jax makes");
    call.inputs = arrays;
    call.input_count = frame->args.size;
    call.outputs = arrays + frame->args.size;
    call.output_count = frame->rets.size;
    call.device = -1;
    call.message = message;
    if (on_device) {
        XLA_FFI_Error *failed = hetad_read_stream(&call, frame);
        if (failed)
            return failed;
    }
    return hetad_serve(&call) ? hetad_error(frame->api, message) : 0;
}

XLA_FFI_Error *hetad_jax_cpu(XLA_FFI_CallFrame *frame)
{
    return hetad_handle(frame, 0);
}

XLA_FFI_Error *hetad_jax_cuda(XLA_FFI_CallFrame *frame)
{
    return hetad_handle(frame, 1);
}
