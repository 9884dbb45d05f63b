import * as z from 'zod'
import { soundGenerationRequest } from './elevenlabs/sound.ts'
import { voiceSpeechRequest } from './elevenlabs/speech.ts'
import { messagesErrorReply } from './messages/error.ts'
import { messagesEvent } from './messages/events.ts'
import { messagesModel, messagesModelList } from './messages/models.ts'
import { messagesCountReply, messagesReply } from './messages/reply.ts'
import { messagesCountRequest, messagesRequest } from './messages/request.ts'
import { flatErrorReply, modelFileErrorReply } from './native/error.ts'
import {
  failoverChain,
  failoverChainList,
  failoverEvent,
  failoverPinRequest,
  failoverTarget,
} from './native/failover.ts'
import {
  operation,
  operationChanged,
  operationHistory,
  operationList,
  operationNode,
  operationRecord,
} from './native/operations.ts'
import {
  middlewareStatus,
  piiAnalysis,
  piiEntity,
  piiEvent,
  piiEventList,
  piiRedaction,
  piiRefusal,
  piiTextRequest,
} from './native/pii.ts'
import { priceListReply, priceListRequest } from './native/prices.ts'
import { deviceMemory, resourcesReply } from './native/resources.ts'
import {
  routerCacheStats,
  routerCorpusAdded,
  routerCorpusCleared,
  routerCorpusRequest,
  routerCorpusStats,
  routerDecideReply,
  routerDecideRequest,
  routerDecisionList,
  routerStatus,
} from './native/router.ts'
import { scoreReply, scoreRequest } from './native/score.ts'
import { settingsErrorReply, settingsUpdateReply } from './native/settings.ts'
import {
  diarizationForm,
  diarizationReply,
  soundClassificationForm,
  soundClassificationReply,
  vadReply,
  vadRequest,
  voicesReply,
} from './native/sound.ts'
import { loadedModel, systemReply, versionReply } from './native/system.ts'
import { detokenizeReply, detokenizeRequest, tokenizeReply, tokenizeRequest } from './native/tokenize.ts'
import { backendTrace, backendTraceList, trace, traceList, traceSummary } from './native/traces.ts'
import {
  usageGroup,
  usageOfKey,
  usageOfUser,
  usageReply,
  usageRow,
  usageSourcesReply,
  usageTotal,
  usageView,
} from './native/usage.ts'
import { ollamaChatReply, ollamaChatRequest, ollamaMessage } from './ollama/chat.ts'
import { ollamaEmbeddingsReply, ollamaEmbeddingsRequest, ollamaEmbedReply, ollamaEmbedRequest } from './ollama/embed.ts'
import { ollamaGenerateReply, ollamaGenerateRequest } from './ollama/generate.ts'
import {
  ollamaModelDetails,
  ollamaPsReply,
  ollamaShowReply,
  ollamaShowRequest,
  ollamaTagsReply,
  ollamaVersionReply,
} from './ollama/models.ts'
import { ollamaOptions } from './ollama/options.ts'
import { ollamaError } from './ollama/reply.ts'
import { chatCompletionRequest, chatResponseFormat } from './openai/chat.ts'
import { chatRequestMessage } from './openai/chat-message.ts'
import { chatCompletion, chatCompletionChunk } from './openai/chat-reply.ts'
import { chatFunction, chatTool, chatToolChoice } from './openai/chat-tools.ts'
import { completion, completionChunk, completionRequest } from './openai/completions.ts'
import { detectionList, detectionRequest } from './openai/detection.ts'
import { edit, editRequest } from './openai/edits.ts'
import { embeddingList, embeddingRequest } from './openai/embeddings.ts'
import { compatibleErrorReply } from './openai/error.ts'
import { fileForm, fileList, fileObject } from './openai/files.ts'
import { imageEditForm, imageList, imageRequest, imageUpscaleForm } from './openai/images.ts'
import { model, modelCapabilitiesList, modelList } from './openai/models.ts'
import { moderation, moderationRequest, moderationResult } from './openai/moderations.ts'
import { rerankReply, rerankRequest } from './openai/rerank.ts'
import { speechRequest } from './openai/speech.ts'
import {
  diarizedTranscription,
  transcription,
  transcriptionForm,
  transcriptionSegment,
  transcriptionWord,
  translationForm,
  verboseTranscription,
} from './openai/transcriptions.ts'
import { completionUsage } from './openai/usage.ts'
import {
  chunkingStrategy,
  fileBatch,
  fileBatchRequest,
  vectorStore,
  vectorStoreFile,
  vectorStoreFileList,
  vectorStoreList,
  vectorStoreRequest,
  vectorStoreResult,
  vectorStoreResults,
  vectorStoreSearch,
} from './openai/vector-stores.ts'
import { videoList, videoRequest } from './openai/videos.ts'
import { responseErrorReply } from './responses/error.ts'
import { responseEvent } from './responses/events.ts'
import { responseInputItem, responseOutputItem } from './responses/items.ts'
import { responseCountRequest, responseRequest, responseTool } from './responses/request.ts'
import { responseCountReply, responseResource } from './responses/resource.ts'

/** The name of a schema in an OpenAPI document. */
export interface SchemaName {
  id: string
}

/** Names of schemas; the server adds its own bodies to a registry of its own. */
export type SchemaRegistry = z.core.$ZodRegistry<SchemaName>

const NAMED: Readonly<Record<string, z.ZodType>> = {
  ChatCompletionRequest: chatCompletionRequest,
  ChatRequestMessage: chatRequestMessage,
  ChatResponseFormat: chatResponseFormat,
  ChatFunction: chatFunction,
  ChatTool: chatTool,
  ChatToolChoice: chatToolChoice,
  ChatCompletion: chatCompletion,
  ChatCompletionChunk: chatCompletionChunk,
  CompletionRequest: completionRequest,
  Completion: completion,
  CompletionChunk: completionChunk,
  CompletionUsage: completionUsage,
  EditRequest: editRequest,
  Edit: edit,
  EmbeddingRequest: embeddingRequest,
  EmbeddingList: embeddingList,
  ModerationRequest: moderationRequest,
  ModerationResult: moderationResult,
  Moderation: moderation,
  RerankRequest: rerankRequest,
  RerankReply: rerankReply,
  TranscriptionForm: transcriptionForm,
  TranslationForm: translationForm,
  Transcription: transcription,
  TranscriptionWord: transcriptionWord,
  TranscriptionSegment: transcriptionSegment,
  VerboseTranscription: verboseTranscription,
  DiarizedTranscription: diarizedTranscription,
  SpeechRequest: speechRequest,
  VoiceSpeechRequest: voiceSpeechRequest,
  SoundGenerationRequest: soundGenerationRequest,
  VadRequest: vadRequest,
  VadReply: vadReply,
  VoicesReply: voicesReply,
  DiarizationForm: diarizationForm,
  DiarizationReply: diarizationReply,
  SoundClassificationForm: soundClassificationForm,
  SoundClassificationReply: soundClassificationReply,
  FileForm: fileForm,
  FileObject: fileObject,
  FileList: fileList,
  ChunkingStrategy: chunkingStrategy,
  VectorStoreRequest: vectorStoreRequest,
  VectorStore: vectorStore,
  VectorStoreList: vectorStoreList,
  VectorStoreFile: vectorStoreFile,
  VectorStoreFileList: vectorStoreFileList,
  FileBatchRequest: fileBatchRequest,
  FileBatch: fileBatch,
  VectorStoreSearch: vectorStoreSearch,
  VectorStoreResult: vectorStoreResult,
  VectorStoreResults: vectorStoreResults,
  ImageRequest: imageRequest,
  ImageEditForm: imageEditForm,
  ImageUpscaleForm: imageUpscaleForm,
  ImageList: imageList,
  VideoRequest: videoRequest,
  VideoList: videoList,
  DetectionRequest: detectionRequest,
  DetectionList: detectionList,
  TokenizeRequest: tokenizeRequest,
  TokenizeReply: tokenizeReply,
  DetokenizeRequest: detokenizeRequest,
  DetokenizeReply: detokenizeReply,
  ScoreRequest: scoreRequest,
  ScoreReply: scoreReply,
  PiiTextRequest: piiTextRequest,
  PiiEntity: piiEntity,
  PiiAnalysis: piiAnalysis,
  PiiRedaction: piiRedaction,
  PiiRefusal: piiRefusal,
  PiiEvent: piiEvent,
  PiiEventList: piiEventList,
  MiddlewareStatus: middlewareStatus,
  UsageRow: usageRow,
  UsageGroup: usageGroup,
  UsageTotal: usageTotal,
  UsageOfKey: usageOfKey,
  UsageOfUser: usageOfUser,
  UsageReply: usageReply,
  UsageView: usageView,
  UsageSourcesReply: usageSourcesReply,
  PriceListRequest: priceListRequest,
  PriceListReply: priceListReply,
  Trace: trace,
  TraceList: traceList,
  TraceSummary: traceSummary,
  BackendTrace: backendTrace,
  BackendTraceList: backendTraceList,
  RouterStatus: routerStatus,
  RouterDecisionList: routerDecisionList,
  RouterDecideRequest: routerDecideRequest,
  RouterDecideReply: routerDecideReply,
  RouterCacheStats: routerCacheStats,
  RouterCorpusRequest: routerCorpusRequest,
  RouterCorpusAdded: routerCorpusAdded,
  RouterCorpusStats: routerCorpusStats,
  RouterCorpusCleared: routerCorpusCleared,
  FailoverTarget: failoverTarget,
  FailoverChain: failoverChain,
  FailoverChainList: failoverChainList,
  FailoverPinRequest: failoverPinRequest,
  FailoverEvent: failoverEvent,
  Operation: operation,
  OperationNode: operationNode,
  OperationList: operationList,
  OperationRecord: operationRecord,
  OperationHistory: operationHistory,
  OperationChanged: operationChanged,
  MessagesRequest: messagesRequest,
  MessagesReply: messagesReply,
  MessagesEvent: messagesEvent,
  MessagesCountRequest: messagesCountRequest,
  MessagesCount: messagesCountReply,
  MessagesError: messagesErrorReply,
  MessagesModel: messagesModel,
  MessagesModelList: messagesModelList,
  Model: model,
  ModelList: modelList,
  ModelCapabilitiesList: modelCapabilitiesList,
  ResponseRequest: responseRequest,
  ResponseCountRequest: responseCountRequest,
  ResponseCount: responseCountReply,
  ResponseInputItem: responseInputItem,
  ResponseTool: responseTool,
  Response: responseResource,
  ResponseOutputItem: responseOutputItem,
  ResponseEvent: responseEvent,
  ResponseError: responseErrorReply,
  CompatibleError: compatibleErrorReply,
  FlatError: flatErrorReply,
  ModelFileError: modelFileErrorReply,
  OllamaChatRequest: ollamaChatRequest,
  OllamaChatReply: ollamaChatReply,
  OllamaMessage: ollamaMessage,
  OllamaGenerateRequest: ollamaGenerateRequest,
  OllamaGenerateReply: ollamaGenerateReply,
  OllamaOptions: ollamaOptions,
  OllamaEmbedRequest: ollamaEmbedRequest,
  OllamaEmbedReply: ollamaEmbedReply,
  OllamaEmbeddingsRequest: ollamaEmbeddingsRequest,
  OllamaEmbeddingsReply: ollamaEmbeddingsReply,
  OllamaModelDetails: ollamaModelDetails,
  OllamaTags: ollamaTagsReply,
  OllamaRunning: ollamaPsReply,
  OllamaShowRequest: ollamaShowRequest,
  OllamaShow: ollamaShowReply,
  OllamaVersion: ollamaVersionReply,
  OllamaError: ollamaError,
  LoadedModel: loadedModel,
  System: systemReply,
  Resources: resourcesReply,
  DeviceMemory: deviceMemory,
  Version: versionReply,
  SettingsError: settingsErrorReply,
  SettingsUpdate: settingsUpdateReply,
}

/** A new registry in which every body of this package has its name; more can be added to it. */
export function createSchemaRegistry(): SchemaRegistry {
  const registry = z.registry<SchemaName>()
  for (const [id, schema] of Object.entries(NAMED)) registry.add(schema, { id })
  return registry
}

/** The `$ref` of a registered schema in an OpenAPI document; undefined when it has no name. */
export function toSchemaReference(registry: SchemaRegistry, schema: z.ZodType): string | undefined {
  const name = registry.get(schema)
  return name === undefined ? undefined : toReference(name.id)
}

/**
 * Every schema of a registry as JSON Schema 2020-12 for `components.schemas` of an OpenAPI 3.1 document; they
 * refer to one another by name.
 *
 * @param registry @default the bodies of this package
 */
export function toOpenApiSchemas(registry: SchemaRegistry = createSchemaRegistry()): Record<string, object> {
  const { schemas } = z.toJSONSchema(registry, { io: 'input', unrepresentable: 'any', uri: toReference })
  return Object.fromEntries(
    Object.entries(schemas).map(([id, { $schema: _, $id: __, ...schema }]) => [id, schema] as const),
  )
}

function toReference(id: string): string {
  return `#/components/schemas/${id}`
}
