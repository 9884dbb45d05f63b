import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { codeBlocks, type PackedInstallation, packAndInstall, readReadme, type TempDir, tempDir } from '../src/index.ts'

/** What a README promises that its example prints, and every name the package gives to its users. */
const PROMISES = {
  '@svc/errors': {
    printed: ['rate_limited admission_rejected 1000'],
    names: ['ERROR_KINDS', 'SvcError', 'isErrorKind', 'toSvcError'],
  },
  '@svc/json': {
    printed: ['{ "model":"demo",  "temperature":1.50, "x_vendor":[1,1e2] }'],
    names: [
      'DEFAULT_MAX_DEPTH',
      'DEFAULT_MAX_NODES',
      'JsonError',
      'MAX_JSON_BYTES',
      'applySplices',
      'encodeJsonString',
      'parseJson',
      'parseJsonCooperatively',
      'toValueCooperatively',
      'walkStrings',
    ],
  },
  '@svc/pii': {
    printed: ['ner:EMAIL true'],
    names: ['compareActions', 'detectionId'],
  },
  '@svc/proxy': {
    printed: ['function'],
    names: ['createHttpUpstream'],
  },
  '@svc/reply-parser': {
    printed: [
      'reasoning: Par',
      'reasoning: is?',
      '{"type":"text","text":"One moment."}',
      '{"type":"call-start","index":0,"name":"weather"}',
      '{"type":"call-arguments","index":0,"text":"{\\"city\\": \\"Paris\\"}"}',
    ],
    names: [
      'BUILT_IN_TAG_PAIRS',
      'NO_MARKERS',
      'collectChatDeltas',
      'createReasoningCleaner',
      'createReasoningSplitter',
      'createToolCallStream',
      'endWithoutBlanks',
      'findPrefilledToken',
      'parseToolCalls',
      'skipBlanks',
      'splitReasoning',
      'toCalls',
      'toKnownTools',
    ],
  },
  '@svc/templates': {
    printed: ['<|user|>Hello', '', 'HELLO (Ada, Grace)'],
    names: [
      'DEFAULT_GO_TEMPLATE_LIMITS',
      'GoTemplateExecError',
      'GoTemplateLimitError',
      'GoTemplateSyntaxError',
      'JinjaLimitError',
      'JinjaRuntimeError',
      'JinjaSyntaxError',
      'TemplateFloat',
      'compileGoTemplate',
      'compileJinja',
      'goMapOf',
      'goPointerTo',
      'goSliceOf',
      'goStruct',
      'parseJsonKeepingNumbers',
      'renderChatTemplate',
    ],
  },
  '@svc/wire': {
    printed: [
      'user 1',
      'SvcError: messages[0].content: Invalid input: expected string or array',
      '{"text":"grüße"}',
      '[DONE]',
    ],
    names: [
      'CHAT_ROLES',
      'MODERATION_CATEGORIES',
      'OFFSET_ENCODINGS',
      'RESPONSE_ROLES',
      'SSE_DONE',
      'SSE_KEEP_ALIVE',
      'candidateScore',
      'chatChoice',
      'chatChunkChoice',
      'chatCompletion',
      'chatCompletionChunk',
      'chatCompletionRequest',
      'chatContentPart',
      'chatDelta',
      'chatFinishReason',
      'chatFunction',
      'chatFunctionChoice',
      'chatReplyMessage',
      'chatRequestMessage',
      'chatRequestToolCall',
      'chatResponseFormat',
      'chatTokenLogprob',
      'chatTool',
      'chatToolCall',
      'chatToolCallDelta',
      'chatToolChoice',
      'compatibleError',
      'compatibleErrorReply',
      'completion',
      'completionChoice',
      'completionChunk',
      'completionFinishReason',
      'completionLogprobs',
      'completionRequest',
      'completionUsage',
      'createNdjsonDecoder',
      'createSchemaRegistry',
      'createSseDecoder',
      'decodeNdjson',
      'decodeSse',
      'decodeSsePieces',
      'detokenizeReply',
      'detokenizeRequest',
      'edit',
      'editRequest',
      'embedding',
      'embeddingList',
      'embeddingRequest',
      'embeddingUsage',
      'encodeNdjson',
      'encodeSseComment',
      'encodeSseEvent',
      'encodeSseJson',
      'isKnownContentPart',
      'isKnownMessagesBlock',
      'loadedModel',
      'messagesBlock',
      'messagesCountReply',
      'messagesCountRequest',
      'messagesDelta',
      'messagesErrorReply',
      'messagesEvent',
      'messagesMessage',
      'messagesReply',
      'messagesReplyBlock',
      'messagesRequest',
      'messagesResultBlock',
      'messagesStopReason',
      'messagesTextBlock',
      'messagesThinking',
      'messagesTool',
      'messagesToolChoice',
      'messagesUsage',
      'middlewareStatus',
      'model',
      'modelCapabilitiesList',
      'modelList',
      'modelLoading',
      'modelProcess',
      'modelWithCapabilities',
      'moderation',
      'moderationRequest',
      'moderationResult',
      'ollamaChatReply',
      'ollamaChatRequest',
      'ollamaEmbedReply',
      'ollamaEmbedRequest',
      'ollamaEmbeddingsReply',
      'ollamaEmbeddingsRequest',
      'ollamaError',
      'ollamaFormat',
      'ollamaGenerateReply',
      'ollamaGenerateRequest',
      'ollamaKeepAlive',
      'ollamaLogprob',
      'ollamaMessage',
      'ollamaModel',
      'ollamaModelDetails',
      'ollamaOptions',
      'ollamaPsReply',
      'ollamaRunningModel',
      'ollamaShowReply',
      'ollamaShowRequest',
      'ollamaTagsReply',
      'ollamaThink',
      'ollamaTool',
      'ollamaToolCall',
      'ollamaVersionReply',
      'parseBody',
      'piiAnalysis',
      'piiEntity',
      'piiEvent',
      'piiEventList',
      'piiRedaction',
      'piiTextRequest',
      'rerankReply',
      'rerankRequest',
      'rerankResult',
      'resourcesReply',
      'responseContentPart',
      'responseError',
      'responseErrorReply',
      'responseEvent',
      'responseInputItem',
      'responseLogprob',
      'responseOutputItem',
      'responseRequest',
      'responseResource',
      'responseStatus',
      'responseTextFormat',
      'responseTool',
      'responseToolChoice',
      'responseUsage',
      'schemaReference',
      'scoreReply',
      'scoreRequest',
      'settings',
      'settingsUpdateReply',
      'systemReply',
      'textOrTokens',
      'textsOf',
      'toOpenApiSchemas',
      'tokenList',
      'tokenizeReply',
      'tokenizeRequest',
      'versionReply',
    ],
  },
} as const

describe.each(Object.entries(PROMISES))('%s, packed and installed by a user', (name, { printed, names }) => {
  let dir: TempDir
  let installation: PackedInstallation
  beforeAll(async () => {
    dir = await tempDir()
    installation = await packAndInstall({ packages: [name], dir: dir.path })
  }, 300_000)
  afterAll(() => dir.close())

  it('runs the example of its README', async () => {
    const examples = codeBlocks(await readReadme(name), 'ts')
    expect(examples).toHaveLength(1)
    expect(await installation.run(examples.join(''))).toEqual({
      code: 0,
      stdout: `${printed.join('\n')}\n`,
      stderr: '',
    })
  })

  it('gives these names and no other, to CommonJS too', async () => {
    const list = 'names => console.log(JSON.stringify(Object.keys(names).sort()))'
    const imported = await installation.run(`import * as names from '${name}'\n;(${list})(names)`)
    const required = await installation.run(
      `import { createRequire } from 'node:module'\n;(${list})(createRequire(import.meta.url)('${name}'))`,
    )
    expect(JSON.parse(imported.stdout)).toEqual(names)
    expect(JSON.parse(required.stdout)).toEqual(names)
  })

  it('brings its README and sources along, and no tests', async () => {
    const files = await readdir(join(installation.dir, 'node_modules', name), { recursive: true })
    expect(files).toEqual(
      expect.arrayContaining(['README.md', 'package.json', join('dist', 'index.js'), join('src', 'index.ts')]),
    )
    expect(files.filter((file) => file.includes('.test.'))).toEqual([])
  })
})
