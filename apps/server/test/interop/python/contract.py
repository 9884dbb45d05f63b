"""The backend contract from a descriptor set: message classes and methods, without generated code."""

import grpc
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

MAX_MESSAGE_BYTES = 50 * 1024 * 1024
MESSAGE_LIMITS = [
    ("grpc.max_receive_message_length", MAX_MESSAGE_BYTES),
    ("grpc.max_send_message_length", MAX_MESSAGE_BYTES),
]


class Method:
    """One rpc: its path, the classes of its messages, and which of its sides are streams."""

    def __init__(self, path, request, reply, request_streams, reply_streams):
        self.path = path
        self.request = request
        self.reply = reply
        self.request_streams = request_streams
        self.reply_streams = reply_streams

    def handler(self, function):
        """What a gRPC server calls for this method."""
        make = getattr(grpc, self._kind() + "_rpc_method_handler")
        return make(function, self.request.FromString, self.reply.SerializeToString)

    def caller(self, channel):
        """What a gRPC client calls it with."""
        return getattr(channel, self._kind())(
            self.path, self.request.SerializeToString, self.reply.FromString
        )

    def _kind(self):
        sides = {False: "unary", True: "stream"}
        return sides[self.request_streams] + "_" + sides[self.reply_streams]


class Contract:
    """Messages by short name and methods by path, of every service in a descriptor set."""

    def __init__(self, file):
        with open(file, "rb") as stream:
            files = descriptor_pb2.FileDescriptorSet.FromString(stream.read())
        self.pool = descriptor_pool.DescriptorPool()
        for description in files.file:
            self.pool.Add(description)
        self.methods = {}
        for description in files.file:
            for service in description.service:
                for rpc in service.method:
                    path = "/%s.%s/%s" % (description.package, service.name, rpc.name)
                    self.methods[path] = Method(
                        path,
                        self._class(rpc.input_type.lstrip(".")),
                        self._class(rpc.output_type.lstrip(".")),
                        rpc.client_streaming,
                        rpc.server_streaming,
                    )

    def __getattr__(self, name):
        return self._class("backend." + name)

    def _class(self, name):
        description = self.pool.FindMessageTypeByName(name)
        if hasattr(message_factory, "GetMessageClass"):
            return message_factory.GetMessageClass(description)
        return message_factory.MessageFactory(self.pool).GetPrototype(description)
