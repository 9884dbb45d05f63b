import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { chatCompletionRequest } from './openai/chat.ts'
import { createSchemaRegistry, toOpenApiSchemas, toSchemaReference } from './registry.ts'

/** Every `$ref` of a document. */
function references(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) =>
    key === '$ref' && typeof inner === 'string' ? [inner] : references(inner),
  )
}

describe('toOpenApiSchemas', () => {
  const schemas = toOpenApiSchemas()

  it('names every body', () => {
    expect(Object.keys(schemas).sort()).toEqual([
      'BackendTrace',
      'BackendTraceList',
      'ChatCompletion',
      'ChatCompletionChunk',
      'ChatCompletionRequest',
      'ChatFunction',
      'ChatRequestMessage',
      'ChatResponseFormat',
      'ChatTool',
      'ChatToolChoice',
      'ChunkingStrategy',
      'CompatibleError',
      'Completion',
      'CompletionChunk',
      'CompletionRequest',
      'CompletionUsage',
      'DetectionList',
      'DetectionRequest',
      'DetokenizeReply',
      'DetokenizeRequest',
      'DeviceMemory',
      'DiarizationForm',
      'DiarizationReply',
      'DiarizedTranscription',
      'Edit',
      'EditRequest',
      'EmbeddingList',
      'EmbeddingRequest',
      'FailoverChain',
      'FailoverChainList',
      'FailoverEvent',
      'FailoverPinRequest',
      'FailoverTarget',
      'FileBatch',
      'FileBatchRequest',
      'FileForm',
      'FileList',
      'FileObject',
      'FlatError',
      'ImageEditForm',
      'ImageList',
      'ImageRequest',
      'ImageUpscaleForm',
      'LoadedModel',
      'MessagesCount',
      'MessagesCountRequest',
      'MessagesError',
      'MessagesEvent',
      'MessagesModel',
      'MessagesModelList',
      'MessagesReply',
      'MessagesRequest',
      'MiddlewareStatus',
      'Model',
      'ModelCapabilitiesList',
      'ModelFileError',
      'ModelList',
      'Moderation',
      'ModerationRequest',
      'ModerationResult',
      'OllamaChatReply',
      'OllamaChatRequest',
      'OllamaEmbedReply',
      'OllamaEmbedRequest',
      'OllamaEmbeddingsReply',
      'OllamaEmbeddingsRequest',
      'OllamaError',
      'OllamaGenerateReply',
      'OllamaGenerateRequest',
      'OllamaMessage',
      'OllamaModelDetails',
      'OllamaOptions',
      'OllamaRunning',
      'OllamaShow',
      'OllamaShowRequest',
      'OllamaTags',
      'OllamaVersion',
      'Operation',
      'OperationChanged',
      'OperationHistory',
      'OperationList',
      'OperationNode',
      'OperationRecord',
      'PiiAnalysis',
      'PiiEntity',
      'PiiEvent',
      'PiiEventList',
      'PiiRedaction',
      'PiiRefusal',
      'PiiTextRequest',
      'PriceListReply',
      'PriceListRequest',
      'RerankReply',
      'RerankRequest',
      'Resources',
      'Response',
      'ResponseCount',
      'ResponseCountRequest',
      'ResponseError',
      'ResponseEvent',
      'ResponseInputItem',
      'ResponseOutputItem',
      'ResponseRequest',
      'ResponseTool',
      'RouterCacheStats',
      'RouterCorpusAdded',
      'RouterCorpusCleared',
      'RouterCorpusRequest',
      'RouterCorpusStats',
      'RouterDecideReply',
      'RouterDecideRequest',
      'RouterDecisionList',
      'RouterStatus',
      'ScoreReply',
      'ScoreRequest',
      'SettingsError',
      'SettingsUpdate',
      'SoundClassificationForm',
      'SoundClassificationReply',
      'SoundGenerationRequest',
      'SpeechRequest',
      'System',
      'TokenizeReply',
      'TokenizeRequest',
      'Trace',
      'TraceList',
      'TraceSummary',
      'Transcription',
      'TranscriptionForm',
      'TranscriptionSegment',
      'TranscriptionWord',
      'TranslationForm',
      'UsageGroup',
      'UsageOfKey',
      'UsageOfUser',
      'UsageReply',
      'UsageRow',
      'UsageSourcesReply',
      'UsageTotal',
      'UsageView',
      'VadReply',
      'VadRequest',
      'VectorStore',
      'VectorStoreFile',
      'VectorStoreFileList',
      'VectorStoreList',
      'VectorStoreRequest',
      'VectorStoreResult',
      'VectorStoreResults',
      'VectorStoreSearch',
      'VerboseTranscription',
      'Version',
      'VideoList',
      'VideoRequest',
      'VoiceSpeechRequest',
      'VoicesReply',
    ])
  })

  it('refers from one to another by name, and every reference is there', () => {
    const used = new Set(references(schemas))
    expect(used).toContain('#/components/schemas/ChatRequestMessage')
    for (const reference of used) expect(schemas).toHaveProperty([reference.replace('#/components/schemas/', '')])
  })

  it('carries ranges, requiredness and openness', () => {
    expect(schemas).toHaveProperty('ChatCompletionRequest.required', ['messages'])
    expect(schemas).toHaveProperty('ChatCompletionRequest.additionalProperties', {})
    expect(schemas).toHaveProperty('ChatCompletionRequest.properties.top_p.anyOf', [
      { type: 'number', minimum: 0, maximum: 1 },
      { type: 'null' },
    ])
  })

  it('has no keys that only the root of a document may have', () => {
    const text = JSON.stringify(schemas)
    expect(text).not.toContain('"$schema"')
    expect(text).not.toContain('"$id"')
  })
})

describe('a registry', () => {
  it('takes more schemas, which may use the named ones', () => {
    const registry = createSchemaRegistry()
    const batch = z.looseObject({ requests: z.array(chatCompletionRequest) })
    registry.add(batch, { id: 'Batch' })
    expect(toOpenApiSchemas(registry)).toHaveProperty('Batch.properties.requests.items', {
      $ref: '#/components/schemas/ChatCompletionRequest',
    })
    expect(toOpenApiSchemas()).not.toHaveProperty('Batch')
  })

  it('knows the references of its named schemas only', () => {
    const registry = createSchemaRegistry()
    expect(toSchemaReference(registry, chatCompletionRequest)).toBe('#/components/schemas/ChatCompletionRequest')
    expect(toSchemaReference(registry, z.string())).toBeUndefined()
  })
})
