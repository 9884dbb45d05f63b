/**
 * Test doubles and helpers shared by the packages of svc. For tests only: nothing here is published.
 *
 * @module
 */

export { type AcceptedSockets, watchAccepted } from './accepted-sockets.ts'
export { type BackendProcess, sourceArguments, startBackendProcess } from './backend-process.ts'
// Backends in processes of their own
export { bundleEntry, bundlePage, type EntryBundle } from './bundle.ts'
// Secrets that must not leak
export {
  type Canary,
  type CanaryForm,
  type CanarySighting,
  findCanaries,
  findCanariesInFiles,
  findCanariesInValues,
  makeCanary,
} from './canary.ts'
// Network
export { createTestCa, type KeyedCertificate, type TestCa } from './certificates.ts'
// Time and order
export { createFakeClock, type FakeClock, type FakeClockOptions } from './clock.ts'
// Providers of sign-ins
export { type CodeHost, type CodeHostAccount, startCodeHost } from './code-host.ts'
export {
  askHttp1,
  askHttp2,
  type ConnectReply,
  type ConnectRequest,
  type ConnectTlsOptions,
  connectThrough,
  connectTlsThrough,
} from './connect-client.ts'
export { type TinyCt2, writeCt2Folder } from './ct2-folder.ts'
export { type Cut, type CutProxy, type CutProxyOptions, startCutProxy } from './cut-proxy.ts'
export { createDeferred, type Deferred } from './deferred.ts'
export { eventually } from './eventually.ts'
// Origins of downloads
export {
  type FileOrigin,
  type FileOriginOptions,
  type OriginFault,
  type OriginFile,
  type OriginRequest,
  startFileOrigin,
} from './file-origin.ts'
// Browsers
export { findBrowser, findTestBrowser } from './find-browser.ts'
export {
  type ForwardProxy,
  type ForwardProxyOptions,
  type ProxiedRequest,
  startForwardProxy,
} from './forward-proxy.ts'
// Models
export { type GgufContent, type GgufTensor, type GgufValue, writeGguf } from './gguf.ts'
export { chatGguf, embeddingGguf, type GgufEntry, ggufBytes } from './gguf-bytes.ts'
// Backends that misbehave
export {
  GRPC_STATUS,
  type HostileBackend,
  type HostileCall,
  type HostileReply,
  type RpcName,
  startHostileBackend,
} from './hostile-backend.ts'
export {
  BROKEN_FRAMINGS,
  type BrokenFraming,
  type BrokenFramingBackend,
  type BrokenFramingOptions,
  startBrokenFraming,
} from './hostile-framing.ts'
export {
  type ClientProof,
  type ForgeContext,
  type HostileIssuer,
  type Refusal,
  startHostileIssuer,
  type TokenClaims,
  type TokenForger,
} from './hostile-issuer.ts'
export {
  brokenEmbedding,
  brokenRanking,
  brokenScores,
  brokenSpans,
  brokenSpeech,
  endlessReplies,
  GARBAGE,
  HEALTHY,
  NOT_UTF8,
  outOfOrderReplies,
  oversizeReply,
  replyMessage,
  replyWithBrokenDelta,
  replyWithBrokenNumbers,
  replyWithBrokenText,
  SUCCESS,
} from './hostile-messages.ts'
export { type HttpServer, listenOnFreePort, startHttpServer } from './http-server.ts'
// Schemas
export { jsonSchemas, type SchemaArbitraries, sampleSchemas } from './json-schemas.ts'
export { collectLines, type LineCollector } from './lines.ts'
export { loadsRealFiles } from './module-links.ts'
export { type NatsOptions, type NatsTls, type RunningNats, startNats, type UnavailableNats } from './nats.ts'
export type { NatsUser, NatsUserOptions } from './nats-accounts.ts'
export { type OidcIssuer, startOidcIssuer } from './oidc-issuer.ts'
export { type OnnxGraph, type OnnxNode, type OnnxTensor, type OnnxValue, toOnnxFile } from './onnx/onnx-file.ts'
export {
  TINY_EMBEDDING_SIZE,
  TINY_NER_LABELS,
  TINY_NER_REACH,
  type TinyEncoderOptions,
  writeTinyEmbedder,
  writeTinyNer,
  writeTinyRanker,
} from './onnx/tiny-encoders.ts'
export { createTinyTokenizer, type TinyTokenizer, type TinyTokenizerKind } from './onnx/tiny-tokenizers.ts'
// Receivers of spans
export {
  decodeOtlpSpans,
  type OtlpReceiver,
  type OtlpSpan,
  type OtlpValue,
  startOtlpReceiver,
} from './otlp-receiver.ts'
// Files, databases, packages
export {
  type PackageRegistry,
  type RegisteredPackage,
  startPackageRegistry,
} from './package-registry.ts'
export {
  type GlobalInstallOptions,
  installGlobally,
  listCodeBlocks,
  type PackedInstallation,
  type PackOptions,
  type ProgramOutcome,
  packAndInstall,
  packPackage,
  readReadme,
} from './packed.ts'
export { patience, patienceMs } from './patience.ts'
export { type RunningPostgres, startPostgres, type UnavailablePostgres } from './postgres.ts'
export { type PrivateUpstream, type PrivateUpstreamOptions, startPrivateUpstream } from './private-upstream.ts'
export { collectSse, type EventSource, readSse, type SeenSseEvent } from './read-sse.ts'
export { type RunningS3, startS3 } from './s3.ts'
export { type SocketTracker, trackSockets } from './sockets.ts'
export { removeFolder, type TempDir, tempDir } from './temp-dir.ts'
export {
  type RecordedRequest,
  type ReplyStep,
  startUpstream,
  type Upstream,
  type UpstreamOptions,
  type UpstreamReply,
  type UpstreamScript,
} from './upstream.ts'
export { type TinyWhisper, whisperBytes } from './whisper-file.ts'
