/**
 * What crosses HTTP: schemas of bodies and events with the types inferred from them, and codecs for
 * server-sent events and JSON lines.
 *
 * @module
 */

// Messages format
export {
  isKnownMessagesBlock,
  type MessagesBlock,
  type MessagesMessage,
  type MessagesTextBlock,
  messagesBlock,
  messagesMessage,
  messagesResultBlock,
  messagesTextBlock,
} from './messages/blocks.ts'
export { type MessagesErrorReply, messagesErrorReply } from './messages/error.ts'
export { type MessagesDelta, type MessagesEvent, messagesDelta, messagesEvent } from './messages/events.ts'
export { type MessagesModel, type MessagesModelList, messagesModel, messagesModelList } from './messages/models.ts'
export {
  type MessagesCountReply,
  type MessagesReply,
  type MessagesReplyBlock,
  type MessagesStopReason,
  type MessagesUsage,
  messagesCountReply,
  messagesReply,
  messagesReplyBlock,
  messagesStopReason,
  messagesUsage,
} from './messages/reply.ts'
export {
  type MessagesCountRequest,
  type MessagesRequest,
  type MessagesTool,
  type MessagesToolChoice,
  messagesCountRequest,
  messagesRequest,
  messagesThinking,
  messagesTool,
  messagesToolChoice,
} from './messages/request.ts'
// Native bodies
export {
  type FailoverChain,
  type FailoverChainList,
  type FailoverChange,
  type FailoverTargetState,
  failoverChain,
  failoverChainList,
  failoverEvent,
  failoverPinRequest,
  failoverTarget,
} from './native/failover.ts'
export {
  type MiddlewareStatus,
  middlewareStatus,
  OFFSET_ENCODINGS,
  type PiiAnalysis,
  type PiiEntity,
  type PiiEvent,
  type PiiRedaction,
  type PiiTextRequest,
  piiAnalysis,
  piiEntity,
  piiEvent,
  piiEventList,
  piiRedaction,
  piiTextRequest,
} from './native/pii.ts'
export { type ResourcesReply, resourcesReply, type WireDeviceMemory } from './native/resources.ts'
export {
  type CandidateScore,
  candidateScore,
  type ScoreReply,
  type ScoreRequest,
  scoreReply,
  scoreRequest,
} from './native/score.ts'
export { type SettingsBody, type SettingsUpdateReply, settings, settingsUpdateReply } from './native/settings.ts'
export {
  type LoadedModel,
  loadedModel,
  type ModelProcess,
  modelProcess,
  type SystemReply,
  systemReply,
  type VersionReply,
  versionReply,
} from './native/system.ts'
export {
  type DetokenizeReply,
  type DetokenizeRequest,
  detokenizeReply,
  detokenizeRequest,
  type TokenizeReply,
  type TokenizeRequest,
  tokenizeReply,
  tokenizeRequest,
} from './native/tokenize.ts'
// JSON lines
export {
  createNdjsonDecoder,
  decodeNdjson,
  type NdjsonDecoder,
  type NdjsonDecoderOptions,
  type NdjsonLine,
} from './ndjson/decode.ts'
export { encodeNdjson } from './ndjson/encode.ts'
// Alternate ecosystem
export {
  type OllamaChatReply,
  type OllamaChatRequest,
  type OllamaMessage,
  ollamaChatReply,
  ollamaChatRequest,
  ollamaMessage,
  ollamaTool,
  ollamaToolCall,
} from './ollama/chat.ts'
export {
  type OllamaEmbeddingsReply,
  type OllamaEmbeddingsRequest,
  type OllamaEmbedReply,
  type OllamaEmbedRequest,
  ollamaEmbeddingsReply,
  ollamaEmbeddingsRequest,
  ollamaEmbedReply,
  ollamaEmbedRequest,
} from './ollama/embed.ts'
export {
  type OllamaGenerateReply,
  type OllamaGenerateRequest,
  ollamaGenerateReply,
  ollamaGenerateRequest,
} from './ollama/generate.ts'
export {
  type OllamaModel,
  type OllamaModelDetails,
  type OllamaPsReply,
  type OllamaRunningModel,
  type OllamaShowReply,
  type OllamaShowRequest,
  type OllamaTagsReply,
  type OllamaVersionReply,
  ollamaModel,
  ollamaModelDetails,
  ollamaPsReply,
  ollamaRunningModel,
  ollamaShowReply,
  ollamaShowRequest,
  ollamaTagsReply,
  ollamaVersionReply,
} from './ollama/models.ts'
export {
  type OllamaFormat,
  type OllamaKeepAlive,
  type OllamaOptions,
  type OllamaThink,
  ollamaFormat,
  ollamaKeepAlive,
  ollamaOptions,
  ollamaThink,
} from './ollama/options.ts'
export { type OllamaError, type OllamaLogprob, ollamaError, ollamaLogprob } from './ollama/reply.ts'
// Compatible format: chat request
export {
  type ChatCompletionRequest,
  type ChatResponseFormat,
  chatCompletionRequest,
  chatResponseFormat,
} from './openai/chat.ts'
export {
  CHAT_ROLES,
  type ChatContentPart,
  type ChatRequestMessage,
  type ChatRequestToolCall,
  chatContentPart,
  chatRequestMessage,
  chatRequestToolCall,
  isKnownContentPart,
} from './openai/chat-message.ts'
// Compatible format: chat reply and stream
export {
  type ChatChoice,
  type ChatChunkChoice,
  type ChatCompletion,
  type ChatCompletionChunk,
  type ChatDelta,
  type ChatFinishReason,
  type ChatReplyMessage,
  type ChatTokenLogprob,
  type ChatToolCall,
  type ChatToolCallDelta,
  chatChoice,
  chatChunkChoice,
  chatCompletion,
  chatCompletionChunk,
  chatDelta,
  chatFinishReason,
  chatReplyMessage,
  chatTokenLogprob,
  chatToolCall,
  chatToolCallDelta,
} from './openai/chat-reply.ts'
export {
  type ChatFunction,
  type ChatFunctionChoice,
  type ChatTool,
  type ChatToolChoice,
  chatFunction,
  chatFunctionChoice,
  chatTool,
  chatToolChoice,
} from './openai/chat-tools.ts'
// Compatible format: completions, edits, embeddings, moderations, rerank
export {
  type Completion,
  type CompletionChoice,
  type CompletionChunk,
  type CompletionFinishReason,
  type CompletionLogprobs,
  type CompletionRequest,
  completion,
  completionChoice,
  completionChunk,
  completionFinishReason,
  completionLogprobs,
  completionRequest,
} from './openai/completions.ts'
export { type Edit, type EditRequest, edit, editRequest } from './openai/edits.ts'
export {
  type Embedding,
  type EmbeddingList,
  type EmbeddingRequest,
  embedding,
  embeddingList,
  embeddingRequest,
  embeddingUsage,
} from './openai/embeddings.ts'
// Compatible format: errors and models
export {
  type CompatibleError,
  type CompatibleErrorReply,
  compatibleError,
  compatibleErrorReply,
  type ModelLoading,
  modelLoading,
} from './openai/error.ts'
export {
  type Model,
  type ModelCapabilitiesList,
  type ModelList,
  type ModelWithCapabilities,
  model,
  modelCapabilitiesList,
  modelList,
  modelWithCapabilities,
} from './openai/models.ts'
export {
  MODERATION_CATEGORIES,
  type Moderation,
  type ModerationCategory,
  type ModerationRequest,
  type ModerationResult,
  moderation,
  moderationRequest,
  moderationResult,
} from './openai/moderations.ts'
export {
  type RerankReply,
  type RerankRequest,
  type RerankResult,
  rerankReply,
  rerankRequest,
  rerankResult,
} from './openai/rerank.ts'
export { type TextOrTokens, textOrTokens, textsOf, tokenList } from './openai/token-input.ts'
export { type CompletionUsage, completionUsage } from './openai/usage.ts'
// Validation and OpenAPI
export { parseBody } from './parse-body.ts'
export {
  createSchemaRegistry,
  type SchemaName,
  type SchemaRegistry,
  schemaReference,
  toOpenApiSchemas,
} from './registry.ts'
// Responses format
export { type ResponseErrorReply, responseError, responseErrorReply } from './responses/error.ts'
export { type ResponseEvent, responseEvent } from './responses/events.ts'
export {
  RESPONSE_ROLES,
  type ResponseContentPart,
  type ResponseInputItem,
  type ResponseLogprob,
  type ResponseOutputCall,
  type ResponseOutputItem,
  type ResponseOutputMessage,
  type ResponseOutputReasoning,
  responseContentPart,
  responseInputItem,
  responseLogprob,
  responseOutputItem,
} from './responses/items.ts'
export {
  type ResponseCountRequest,
  type ResponseRequest,
  type ResponseTextFormat,
  type ResponseTool,
  type ResponseToolChoice,
  responseCountRequest,
  responseRequest,
  responseTextFormat,
  responseTool,
  responseToolChoice,
} from './responses/request.ts'
export {
  type ResponseCountReply,
  type ResponseResource,
  type ResponseStatus,
  type ResponseUsage,
  responseCountReply,
  responseResource,
  responseStatus,
  responseUsage,
} from './responses/resource.ts'
// Server-sent events
export {
  createSseDecoder,
  decodeSse,
  decodeSsePieces,
  type SseDecoder,
  type SseDecoderOptions,
  type SseEvent,
  type SseFiller,
  type SseIncomplete,
  type SsePiece,
} from './sse/decode.ts'
export {
  encodeSseComment,
  encodeSseEvent,
  encodeSseJson,
  SSE_DONE,
  SSE_KEEP_ALIVE,
  type SseEventFields,
} from './sse/encode.ts'
