import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ModuleKind, ScriptTarget, transpileModule } from 'typescript'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  listCodeBlocks,
  type PackedInstallation,
  packAndInstall,
  readReadme,
  type TempDir,
  tempDir,
} from '../src/index.ts'

/** The output that each README promises for its example, and every name of the package. */
const PROMISES = {
  '@svc/audio': {
    printed: ['audio/wav large', 'audio/mpeg small', 'audio/ogg small', 'audio/flac large', 's16 16000 1'],
    names: [
      'AUDIO_FORMATS',
      'AudioError',
      'MAX_RATE',
      'MIN_RATE',
      'SNIFF_BYTES',
      'aLawToFloat32',
      'createFfmpeg',
      'createResampler',
      'encodeAudio',
      'encodeWavHeader',
      'findEncodedRate',
      'float32ToALaw',
      'float32ToMuLaw',
      'float32ToS16',
      'mixChannels',
      'muLawToFloat32',
      'readWav',
      'readWavHeader',
      's16ToFloat32',
      'sniffAudio',
    ],
  },
  '@svc/auth': {
    /** Examples, and the packages that their users install beside. */
    blocks: 3,
    besides: ['drizzle-orm', 'hono', 'postgres'],
    printed: [
      '401 who are you?',
      '200 hello Ada, admin',
      '200 hello Ada, admin',
      '403 {"error":"Admin access required"}',
      '200 {"answer":"yes"}',
      '429 {"error":"quota exceeded, try again when its window of 1h ends"}',
    ],
    names: [
      'ANONYMOUS_PRINCIPAL',
      'AuthError',
      'LEGACY_PRINCIPAL',
      'SESSION_LIFETIME_MS',
      'checkAccess',
      'checkModelAccess',
      'createApiKeys',
      'createAuth',
      'createAuthenticator',
      'createLastUse',
      'createLocalPrincipal',
      'createRevocations',
      'createRightsWatch',
      'createSessions',
      'createSharedKeys',
      'createTokenHasher',
      'extractCredentials',
      'isConcerned',
      'isCookie',
      'toUsageSource',
    ],
    entries: {
      access: [
        'FEATURES',
        'ROUTE_GROUPS',
        'checkAccess',
        'checkModelAccess',
        'decideAccess',
        'decideModelAccess',
        'isFeature',
        'readCookies',
        'resolveFeatures',
        'routeGroup',
        'toAccessError',
      ],
      accounts: [
        'createAccounts',
        'createAttemptLimiter',
        'createInvites',
        'createKnownAddresses',
        'createPasswords',
        'decideAdmission',
        'isConfiguredAdmin',
        'isEmail',
        'nameAccount',
        'nameAddress',
        'normalizeEmail',
      ],
      drizzle: [
        'createDrizzleStores',
        'createPostgresQueries',
        'createSqliteQueries',
        'listTableStatements',
        'postgresAuthTables',
        'sqliteAuthTables',
      ],
      memory: ['createMemoryStores'],
      oauth: [
        'ProviderError',
        'createCodeHostProvider',
        'createOidcProvider',
        'createSignIn',
        'endSessionsByToken',
        'isSafeUrl',
      ],
      ports: [],
      quotas: [
        'applyQuotaWork',
        'createExclusiveQuotaStore',
        'createQuotas',
        'currentCounter',
        'formatDuration',
        'parseDuration',
        'windowStart',
      ],
      usage: [
        'MAX_KEY_TOTALS',
        'createUsage',
        'createUsageRecorder',
        'labelBucket',
        'readPeriod',
        'startOfBucket',
        'sumUsage',
      ],
    },
  },
  '@svc/errors': {
    printed: ['rate_limited admission_rejected 1000'],
    names: ['ERROR_KINDS', 'SvcError', 'checkArgument', 'isErrorKind', 'toSvcError'],
  },
  '@svc/gguf': {
    printed: ['notes.gguf is no GGUF file'],
    names: ['GgufError', 'readGgufHeader', 'readLeadingKeys'],
  },
  '@svc/http-client': {
    printed: ['200 hello'],
    names: [
      'ForwardAgent',
      'TunnelAgent',
      'createHttpUpstream',
      'createTrust',
      'createWayOut',
      'isNoProxyList',
      'openTunnel',
      'pinAddresses',
      'readForwardProxy',
      'readProxyVariables',
      'readTrustStore',
      'toDestination',
      'toUpstreamFailure',
      'upstreamFailed',
    ],
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
      'runInSlices',
      'toValueCooperatively',
      'walkStrings',
    ],
  },
  '@svc/mitm': {
    printed: ['ready on 127.0.0.1'],
    names: [
      'DEFAULT_HOSTS',
      'DEFAULT_LIMITS',
      'MitmError',
      'canonicalHost',
      'createAllowlist',
      'createCaFolder',
      'createScannedPaths',
      'openAuthority',
      'readAuthority',
      'startMitmProxy',
    ],
    entries: { entries: ['findHostFault', 'findPathFault'] },
  },
  '@svc/pii': {
    printed: [
      '{"messages":[{"role":"user","content":"[REDACTED:ner:NAME] of Acme, [REDACTED:pattern:EMAIL]"}],  "seed":1.0}',
    ],
    names: [
      'FIXED_MASKS',
      'analyzeText',
      'compareActions',
      'convertOffsets',
      'createPolicy',
      'filterBody',
      'filterSegments',
      'isPiiAction',
      'maskText',
      'redactText',
      'startFilter',
      'toDetectionId',
    ],
    entries: {
      audit: [
        'createFindingEvents',
        'createHashPrefix',
        'createUnavailableEvent',
        'createUnscannedMediaEvent',
        'findRefusingEvent',
        'listRecordedFindings',
      ],
      catalogue: ['SECRET_KINDS'],
      config: ['LEGACY_PII_KEYS', 'findLegacyPiiKeys', 'piiBlock', 'piiDetectionBlock'],
      detectors: [
        'ENCODINGS',
        'combineDetectors',
        'createDetector',
        'createEncodedDetector',
        'createNerDetector',
        'createTermMatchers',
        'createUnavailableDetector',
      ],
      documents: ['collectSegments'],
      errors: ['PiiError', 'piiBlocked', 'piiUnavailable', 'piiUnsupportedTransport'],
      evaluation: ['evaluateDetectors'],
      offload: ['createPatternScanner', 'listBuffers', 'offloadPatterns'],
      operators: ['findOperatorFault'],
      patterns: [
        'BUILTIN_NAMES',
        'BUILTIN_SETS',
        'CompiledPattern',
        'MAX_PATTERNS',
        'PatternMatcher',
        'PatternSyntaxError',
        'createPatternDetector',
        'listBuiltinGroups',
      ],
      reversible: ['createLaneRestorer', 'createSseRestorer', 'createTokenMap', 'restoreJsonBody', 'restoreText'],
    },
  },
  '@svc/proxy': {
    printed: [
      '200 4',
      '{"asked":{"model":"demo-large",  "x_vendor":1.50},"as":"Bearer operator-key","usage":{"prompt_tokens":3,"completion_tokens":1}}',
    ],
    names: [
      'HOP_HEADER',
      'MAX_HOPS',
      'UpstreamStatusError',
      'createChatUpstream',
      'createCloudRequest',
      'createCredentialHeaders',
      'createHopHeaders',
      'createKeyRedactor',
      'createPassthroughBody',
      'loadCloudTarget',
      'parseUpstreamUrl',
      'quoteUpstream',
      'readUpstreamKey',
      'relay',
      'selectReplyHeaders',
    ],
    entries: {
      failover: [
        'TARGET_FULL',
        'TARGET_SKIPPED',
        'callWithFailover',
        'createFailoverGroup',
        'readFailoverSettings',
        'streamWithFailover',
        'toVerdict',
      ],
      replies: [
        'createArgumentSource',
        'createCallAssembler',
        'dropAbsent',
        'findChunkUsage',
        'findHeader',
        'isFields',
        'quoteUpstream',
        'readAtMost',
        'readRetryAfter',
        'readSseEvents',
        'readWhole',
        'readWholeCalls',
        'toCount',
        'toFields',
        'toList',
        'toNumber',
        'toText',
        'tryParseJson',
      ],
      translate: [
        'addCacheBreakpoints',
        'chatToMessages',
        'completionToChunks',
        'createTranslator',
        'messagesToChat',
        'readThinkingBlocks',
      ],
    },
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
  '@svc/router': {
    printed: ['large code 0.91'],
    names: [
      'RouterError',
      'chooseTurnEnd',
      'createCallLimit',
      'createDecisionLog',
      'createProbe',
      'createRouter',
      'extractProbe',
      'resolveCorpusName',
      'resolveRouterSettings',
      'validateRouterSettings',
    ],
    entries: {
      corpus: ['MAX_ENTRIES_PER_REQUEST', 'createCorpora', 'createEntryId', 'createFingerprint'],
      fit: ['embedLabelledTexts', 'evaluateRouter', 'fitActivationThreshold', 'fitKnnThresholds'],
      node: ['createCorpusFiles'],
      vector: ['MAX_DIMENSION', 'VectorError', 'createVectorIndex'],
    },
  },
  '@svc/service-backend': {
    printed: ['proxy.upstream_url: only the root of the instance is used, the rest is cut off', 'true loaded'],
    names: ['createService', 'createServiceHandlers', 'loadServiceTarget'],
  },
  '@svc/structured-output': {
    printed: ['true', 'undefined', 'must have the property "city"'],
    names: ['compileSchema', 'compileStructuredOutput', 'createToolGrammar', 'describeLeftOut', 'toStructuredOutput'],
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
      'createChatTemplate',
      'goMap',
      'goPointerTo',
      'goSlice',
      'goStruct',
      'parseJsonKeepingNumbers',
      'renderChatTemplate',
    ],
    entries: {
      go: [
        'DEFAULT_GO_TEMPLATE_LIMITS',
        'GoTemplateExecError',
        'GoTemplateLimitError',
        'GoTemplateSyntaxError',
        'compileGoTemplate',
        'goMap',
        'goPointerTo',
        'goSlice',
        'goStruct',
      ],
      jinja: [
        'JinjaLimitError',
        'JinjaRuntimeError',
        'JinjaSyntaxError',
        'TemplateFloat',
        'compileJinja',
        'parseJsonKeepingNumbers',
        'renderChatTemplate',
      ],
    },
  },
  '@svc/wire': {
    printed: ['user 1', 'SvcError: messages[0].content: must be a string or an array', '{"text":"grüße"}', '[DONE]'],
    names: ['createSchemaRegistry', 'parseBody', 'toOpenApiSchemas', 'toSchemaReference'],
    entries: {
      messages: [
        'isKnownMessagesBlock',
        'messagesBlock',
        'messagesCountReply',
        'messagesCountRequest',
        'messagesDelta',
        'messagesErrorReply',
        'messagesEvent',
        'messagesMessage',
        'messagesModel',
        'messagesModelList',
        'messagesReply',
        'messagesReplyBlock',
        'messagesRequest',
        'messagesResultBlock',
        'messagesStopReason',
        'messagesTextBlock',
        'messagesThinking',
        'messagesTool',
        'messagesToolChoice',
        'messagesToolset',
        'messagesUsage',
      ],
      native: [
        'OFFSET_ENCODINGS',
        'OPERATION_PHASES',
        'backendLogLine',
        'backendLogLines',
        'backendLogMessage',
        'backendLogNames',
        'backendTrace',
        'backendTraceList',
        'candidateScore',
        'detokenizeReply',
        'detokenizeRequest',
        'failoverChain',
        'failoverChainList',
        'failoverEvent',
        'failoverPinRequest',
        'failoverTarget',
        'loadFailure',
        'loadedModel',
        'middlewareStatus',
        'modelProblem',
        'modelProcess',
        'operation',
        'operationChanged',
        'operationHistory',
        'operationList',
        'operationNode',
        'operationRecord',
        'piiAnalysis',
        'piiEntity',
        'piiEvent',
        'piiEventList',
        'piiRedaction',
        'piiRefusal',
        'piiTextRequest',
        'resourcesReply',
        'routerCacheStats',
        'routerCorpusAdded',
        'routerCorpusCleared',
        'routerCorpusRequest',
        'routerCorpusStats',
        'routerDecideReply',
        'routerDecideRequest',
        'routerDecisionList',
        'routerStatus',
        'scoreReply',
        'scoreRequest',
        'settingsErrorReply',
        'settingsUpdateReply',
        'systemReply',
        'tokenizeReply',
        'tokenizeRequest',
        'trace',
        'traceList',
        'traceSummary',
        'usageOfKey',
        'usageOfUser',
        'usageReply',
        'usageRow',
        'usageSource',
        'usageSourcesReply',
        'usageTotal',
        'usageView',
        'versionReply',
      ],
      ndjson: ['createNdjsonDecoder', 'decodeNdjson', 'encodeNdjson'],
      ollama: [
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
      ],
      openai: [
        'CHAT_ROLES',
        'MODERATION_CATEGORIES',
        'chatAnyTool',
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
        'edit',
        'editRequest',
        'embedding',
        'embeddingList',
        'embeddingRequest',
        'embeddingUsage',
        'isFunctionTool',
        'isKnownContentPart',
        'model',
        'modelCapabilitiesList',
        'modelList',
        'modelLoading',
        'modelWithCapabilities',
        'moderation',
        'moderationRequest',
        'moderationResult',
        'rerankReply',
        'rerankRequest',
        'rerankResult',
        'textOrTokens',
        'toTexts',
        'tokenList',
      ],
      responses: [
        'RESPONSE_ROLES',
        'responseContentPart',
        'responseCountReply',
        'responseCountRequest',
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
      ],
      sse: [
        'SSE_DONE',
        'SSE_KEEP_ALIVE',
        'createSseDecoder',
        'decodeSse',
        'decodeSsePieces',
        'encodeSseComment',
        'encodeSseEvent',
        'encodeSseJson',
      ],
      stages: ['REQUEST_MARKS', 'REQUEST_STAGES'],
    },
  },
} as const

interface SourceMap {
  readonly sources: readonly string[]
  readonly sourcesContent?: readonly unknown[]
}

/** Names of an entry, by its subpath. */
type Names = Readonly<Record<string, readonly string[]>>

/** TypeScript as Node runs it: without its types. */
const withoutTypes = (code: string): string =>
  transpileModule(code, { compilerOptions: { module: ModuleKind.ESNext, target: ScriptTarget.ES2023 } }).outputText

let dir: TempDir
beforeAll(async () => {
  dir = await tempDir()
})
afterAll(() => dir.close())

describe.each(Object.entries(PROMISES))('%s, packed and installed by a user', (name, promise) => {
  const { printed, names } = promise
  const [blocks, besides] = 'blocks' in promise ? [promise.blocks, promise.besides] : [1, []]
  const entries: Names = { '': names, ...('entries' in promise ? promise.entries : {}) }
  let installation: PackedInstallation
  beforeAll(async () => {
    const folder = join(dir.path, name)
    installation = await packAndInstall({
      packages: [name],
      besides,
      dir: folder,
      tarballs: join(dir.path, 'tarballs'),
    })
  })

  it('runs the example of its README', async () => {
    const examples = listCodeBlocks(await readReadme(name), 'ts')
    expect(examples).toHaveLength(blocks)
    let output = ''
    for (const example of examples) {
      const { stdout, ...ending } = await installation.run(withoutTypes(example))
      expect(ending).toEqual({ code: 0, stderr: '' })
      output += stdout
    }
    expect(output).toBe(`${printed.join('\n')}\n`)
  })

  it('gives the names of each entry and no other, to CommonJS too', async () => {
    const expected = Object.fromEntries(
      Object.entries(entries)
        .map(([subpath, list]) => [subpath === '' ? name : `${name}/${subpath}`, list] as const)
        // zod is a peer dependency of this entry
        .filter(([specifier]) => specifier !== '@svc/pii/config'),
    )
    // `require` goes first: it loads the modules, and refuses modules with a top-level `await`
    const { stdout, ...ending } = await installation.run(`import { createRequire } from 'node:module'
      const require = createRequire(import.meta.url)
      const list = (names) => Object.keys(names).sort()
      const [required, imported] = [{}, {}]
      for (const specifier of ${JSON.stringify(Object.keys(expected))}) {
        required[specifier] = list(require(specifier))
        imported[specifier] = list(await import(specifier))
      }
      console.log(JSON.stringify({ required, imported }))`)
    expect(ending).toEqual({ code: 0, stderr: '' })
    expect(JSON.parse(stdout)).toEqual({ required: expected, imported: expected })
  })

  it('brings its README and sources along, once, and no tests', async () => {
    const folder = join(installation.dir, 'node_modules', name)
    const files = await readdir(folder, { recursive: true })
    expect(files).toEqual(
      expect.arrayContaining(['README.md', 'package.json', join('dist', 'index.js'), join('src', 'index.ts')]),
    )
    expect(files.filter((file) => /\.test\.|__fixtures__/.test(file))).toEqual([])
    const maps = files.filter((file) => file.endsWith('.map'))
    expect(maps.length).toBeGreaterThan(0)
    for (const map of maps) {
      const { sources, sourcesContent } = JSON.parse(await readFile(join(folder, map), 'utf8')) as SourceMap
      expect(sourcesContent ?? []).toEqual([])
      for (const source of sources) expect(files).toContain(join(dirname(map), source))
    }
  })
})
