// A backend on the gRPC library of C++ that does what words in the request ask for. Messages are plain bytes.
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/grpcpp.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace {

constexpr size_t kLimit = 50 * 1024 * 1024;
std::atomic<bool> was_cancelled{false};

std::string Reply(const std::string& text) {
  std::string out = "\x0a";
  size_t number = text.size();
  while (number > 0x7f) {
    out += static_cast<char>((number & 0x7f) | 0x80);
    number >>= 7;
  }
  out += static_cast<char>(number);
  return out + text;
}

std::string ToText(const grpc::ByteBuffer& buffer) {
  std::vector<grpc::Slice> slices;
  std::string out;
  if (!buffer.Dump(&slices).ok()) return out;
  for (const grpc::Slice& slice : slices) out.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  return out;
}

class Call : public grpc::ServerGenericBidiReactor {
 public:
  explicit Call(grpc::GenericCallbackServerContext* context) : context_(context) { StartRead(&request_); }

 private:
  void OnReadDone(bool ok) override {
    if (!ok) return Finish(grpc::Status(grpc::StatusCode::INTERNAL, "no request"));
    Plan(ToText(request_));
    Next();
  }

  void OnWriteDone(bool ok) override {
    if (ok) Next();
    else Finish(grpc::Status::CANCELLED);
  }

  void OnCancel() override {
    if (!hangs_) return;
    was_cancelled = true;
    Finish(grpc::Status::CANCELLED);
  }

  void OnDone() override { delete this; }

  bool Has(const std::string& word) const { return text_.find(word) != std::string::npos; }

  void Plan(const std::string& text) {
    text_ = text;
    if (Has("GZIP")) context_->set_compression_algorithm(GRPC_COMPRESS_GZIP);
    if (Has("TRAILERS")) context_->AddTrailingMetadata("svc-finish-reason", "stop");
    if (Has("FAIL")) end_ = grpc::Status(grpc::StatusCode::RESOURCE_EXHAUSTED, "queue f\xc3\xbcll, 100% sure");
    const std::string method = context_->method();
    if (method == "/backend.Backend/PredictStream") return PlanStream();
    if (method == "/backend.Backend/Health") messages_ = {Reply("OK")};
    else if (method == "/backend.Backend/Embedding") messages_ = {std::string("\x0a\x08\0\0\x80\x3f\0\0\0\xc0\x18\x02", 12)};
    else if (method == "/backend.Backend/TokenizeString") messages_ = {std::string("\x08\x02\x12\x03\x07\xac\x02", 7)};
    else if (Has("FAIL") || Has("HANG")) messages_ = {};
    else if (Has("WAS_CANCELLED")) messages_ = {Reply(was_cancelled ? "yes" : "no")};
    else if (Has("SIZE")) messages_ = {Reply(std::to_string(text.size()))};
    else if (Has("BIG")) messages_ = {Reply(std::string(kLimit - 5, 'a'))};
    else if (Has("GZIP")) {
      std::string squeezed;
      for (int index = 0; index < 1000; index += 1) squeezed += "squeezed ";
      messages_ = {Reply(squeezed)};
    } else messages_ = {Reply("hello")};
  }

  void PlanStream() {
    if (Has("MANY")) {
      for (int index = 0; index < 5000; index += 1) messages_.push_back(Reply(std::to_string(index) + " "));
    } else if (Has("FAIL") || Has("HANG") || Has("EXIT")) messages_ = {Reply("a")};
    else messages_ = {Reply("a"), Reply("b"), Reply("c")};
  }

  void Next() {
    if (next_ < messages_.size()) {
      grpc::Slice slice(messages_[next_]);
      next_ += 1;
      response_ = grpc::ByteBuffer(&slice, 1);
      return StartWrite(&response_);
    }
    if (Has("EXIT")) std::_Exit(1);
    hangs_ = Has("HANG");
    if (!hangs_) return Finish(end_);
    if (context_->IsCancelled()) OnCancel();
  }

  grpc::GenericCallbackServerContext* context_;
  grpc::ByteBuffer request_;
  grpc::ByteBuffer response_;
  std::string text_;
  std::vector<std::string> messages_;
  size_t next_ = 0;
  std::atomic<bool> hangs_{false};
  grpc::Status end_ = grpc::Status::OK;
};

class Service : public grpc::CallbackGenericService {
  grpc::ServerGenericBidiReactor* CreateReactor(grpc::GenericCallbackServerContext* context) override {
    return new Call(context);
  }
};

}  // namespace

int main(int, char** arguments) {
  Service service;
  grpc::ServerBuilder builder;
  builder.SetMaxReceiveMessageSize(kLimit);
  builder.SetMaxSendMessageSize(kLimit);
  builder.AddListeningPort(arguments[1], grpc::InsecureServerCredentials());
  builder.RegisterCallbackGenericService(&service);
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  if (server == nullptr) return 1;
  server->Wait();
}
