/**
 * Bodies and events of the compatible format: chat, completions, edits, embeddings, moderations, rerank, images,
 * videos, detection, files, vector stores, models, errors.
 *
 * @module
 */

export {
  type ChatCompletionRequest,
  type ChatResponseFormat,
  chatCompletionRequest,
  chatResponseFormat,
} from './chat.ts'
export {
  CHAT_ROLES,
  type ChatContentPart,
  type ChatRequestMessage,
  type ChatRequestToolCall,
  chatContentPart,
  chatRequestMessage,
  chatRequestToolCall,
} from './chat-message.ts'
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
  type McpCall,
  type McpResult,
  type McpToolCall,
  mcpCall,
  mcpResult,
  mcpToolCall,
} from './chat-reply.ts'
export {
  type ChatAnyTool,
  type ChatFunction,
  type ChatFunctionChoice,
  type ChatTool,
  type ChatToolChoice,
  chatAnyTool,
  chatFunction,
  chatFunctionChoice,
  chatTool,
  chatToolChoice,
} from './chat-tools.ts'
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
} from './completions.ts'
export {
  type Detection,
  type DetectionList,
  type DetectionRequest,
  detection,
  detectionList,
  detectionRequest,
  MAX_MARKS,
} from './detection.ts'
export { type Edit, type EditRequest, edit, editRequest } from './edits.ts'
export {
  type Embedding,
  type EmbeddingList,
  type EmbeddingRequest,
  embedding,
  embeddingList,
  embeddingRequest,
  embeddingUsage,
} from './embeddings.ts'
export {
  type CompatibleError,
  type CompatibleErrorReply,
  compatibleError,
  compatibleErrorReply,
  type ModelLoading,
  modelLoading,
} from './error.ts'
export {
  FILE_PURPOSES,
  type FileForm,
  type FileList,
  type FileObject,
  fileDeleted,
  fileForm,
  fileList,
  fileObject,
  filePurpose,
} from './files.ts'
export { isFunctionTool } from './function-tools.ts'
export {
  type ImageData,
  type ImageEditForm,
  type ImageEvent,
  type ImageList,
  type ImageRequest,
  type ImageUpscaleForm,
  imageData,
  imageEditForm,
  imageEvent,
  imageList,
  imageRequest,
  imageUpscaleForm,
  imageUsage,
} from './images.ts'
export { isKnownContentPart } from './known-parts.ts'
export {
  type Model,
  type ModelCapabilitiesList,
  type ModelList,
  type ModelWithCapabilities,
  model,
  modelCapabilitiesList,
  modelList,
  modelWithCapabilities,
} from './models.ts'
export {
  MODERATION_CATEGORIES,
  type Moderation,
  type ModerationCategory,
  type ModerationRequest,
  type ModerationResult,
  moderation,
  moderationRequest,
  moderationResult,
} from './moderations.ts'
export { isPlainChat } from './plain-chat.ts'
export {
  type RerankReply,
  type RerankRequest,
  type RerankResult,
  rerankReply,
  rerankRequest,
  rerankResult,
} from './rerank.ts'
export {
  SPEECH_FORMATS,
  type SpeechEvent,
  type SpeechFormat,
  type SpeechRequest,
  speechEvent,
  speechRequest,
} from './speech.ts'
export { type TextOrTokens, textOrTokens, tokenList, toTexts } from './token-input.ts'
export {
  type DiarizedTranscription,
  diarizedTranscription,
  TRANSCRIPT_FORMATS,
  type TranscriptFormat,
  type Transcription,
  type TranscriptionEvent,
  type TranscriptionForm,
  type TranscriptionSegment,
  type TranscriptionWord,
  type TranslationForm,
  transcription,
  transcriptionEvent,
  transcriptionForm,
  transcriptionReply,
  transcriptionSegment,
  transcriptionWord,
  translationForm,
  type VerboseTranscription,
  verboseTranscription,
} from './transcriptions.ts'
export { type CompletionUsage, completionUsage } from './usage.ts'
export {
  type ChunkingStrategy,
  type ComparisonFilter,
  chunkingStrategy,
  comparisonFilter,
  type FileAttributes,
  type FileBatch,
  type FileCounts,
  fileAttributes,
  fileBatch,
  fileBatchRequest,
  fileCounts,
  storeExpiry,
  storeMetadata,
  type VectorStore,
  type VectorStoreFile,
  type VectorStoreRequest,
  type VectorStoreResult,
  type VectorStoreResults,
  vectorStore,
  vectorStoreDeleted,
  vectorStoreFile,
  vectorStoreFileContent,
  vectorStoreFileDeleted,
  vectorStoreFileList,
  vectorStoreFileRequest,
  vectorStoreFileUpdate,
  vectorStoreList,
  vectorStoreRequest,
  vectorStoreResult,
  vectorStoreResults,
  vectorStoreSearch,
  vectorStoreUpdate,
} from './vector-stores.ts'
export { MAX_FRAMES, type VideoList, type VideoRequest, videoList, videoRequest } from './videos.ts'
