/**
 * Bodies of the alternate ecosystem.
 *
 * @module
 */
export {
  type OllamaChatReply,
  type OllamaChatRequest,
  type OllamaMessage,
  ollamaChatReply,
  ollamaChatRequest,
  ollamaMessage,
  ollamaTool,
  ollamaToolCall,
} from './chat.ts'
export {
  type OllamaEmbeddingsReply,
  type OllamaEmbeddingsRequest,
  type OllamaEmbedReply,
  type OllamaEmbedRequest,
  ollamaEmbeddingsReply,
  ollamaEmbeddingsRequest,
  ollamaEmbedReply,
  ollamaEmbedRequest,
} from './embed.ts'
export {
  type OllamaGenerateReply,
  type OllamaGenerateRequest,
  ollamaGenerateReply,
  ollamaGenerateRequest,
} from './generate.ts'
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
} from './models.ts'
export {
  type OllamaFormat,
  type OllamaKeepAlive,
  type OllamaOptions,
  type OllamaThink,
  ollamaFormat,
  ollamaKeepAlive,
  ollamaOptions,
  ollamaThink,
} from './options.ts'
export { type OllamaError, type OllamaLogprob, ollamaError, ollamaLogprob } from './reply.ts'
