import { defineSection, option, setting } from '../option.ts'
import { address, webUrl } from '../places.ts'
import { size } from '../quantities.ts'
import { line, onOff } from '../setting-kind.ts'
import { choice, count, headerText, text, toggle } from '../text-kind.ts'

export const server = defineSection({
  heading: 'Server',
  options: {
    address: option(address, {
      flag: 'address',
      env: ['SVC_ADDRESS'],
      default: ':8080',
      about: 'where the API listens; without a host on every address of the machine',
    }),
    externalBaseUrl: option(webUrl, {
      flag: 'external-base-url',
      env: ['SVC_BASE_URL'],
      about: 'the URL clients use when it is not the one the server sees, with a path where a proxy adds one',
    }),
    cors: option(toggle, {
      flag: 'cors',
      env: ['SVC_CORS'],
      default: 'false',
      about:
        'pages of every origin may use the API, unless --cors-allow-origins lists some; without keys and accounts any web page has full access then',
      setting: { cors: setting(onOff) },
    }),
    corsAllowOrigins: option(text, {
      flag: 'cors-allow-origins',
      env: ['SVC_CORS_ALLOW_ORIGINS'],
      default: '',
      about:
        'origins whose pages may use the API, between commas, or *; without keys and accounts only pages of the server itself may, unless this lists others',
      setting: { cors_allow_origins: setting(line) },
    }),
    disableHttpCompression: option(toggle, {
      flag: 'disable-http-compression',
      env: ['SVC_DISABLE_HTTP_COMPRESSION'],
      default: 'false',
      about: 'never compress replies',
    }),
    httpCompressionMinLengthBytes: option(size({ bare: 'bytes' }), {
      flag: 'http-compression-min-length',
      env: ['SVC_HTTP_COMPRESSION_MIN_LENGTH'],
      default: '1024',
      about: 'replies from this size on are compressed',
    }),
    disableMcp: option(toggle, {
      flag: 'disable-mcp',
      env: ['SVC_DISABLE_MCP'],
      default: 'false',
      about: 'no tools from MCP servers: their routes are absent, and no program of theirs is started',
    }),
    uploadLimitBytes: option(size({ bare: 'MB' }), {
      flag: 'upload-limit',
      env: ['SVC_UPLOAD_LIMIT'],
      default: '15',
      about: 'largest request body; a number alone counts megabytes',
    }),
    maxConnections: option(count, {
      flag: 'max-connections',
      env: ['SVC_MAX_CONNECTIONS'],
      default: '0',
      shownDefault: 'half of the open files that the system allows (0)',
      about: 'most connections at once, below the number of open files; health checks are answered beyond it',
    }),
    httpReader: option(choice('own', 'node'), {
      flag: 'http-reader',
      env: ['SVC_HTTP_READER'],
      default: 'own',
      about: 'parser of requests: own = ours for plain requests, Node for all others; node = Node for all',
    }),
    machineTag: option(headerText, {
      flag: 'machine-tag',
      env: ['SVC_MACHINE_TAG'],
      about: 'value of the Machine-Tag header on every reply',
    }),
    disableWebui: option(toggle, {
      flag: 'disable-webui',
      env: ['SVC_DISABLE_WEBUI'],
      default: 'false',
      about: 'serve the API alone',
    }),
    ollamaApiRootEndpoint: option(toggle, {
      flag: 'ollama-api-root-endpoint',
      env: ['SVC_OLLAMA_API_ROOT_ENDPOINT'],
      default: 'false',
      about: 'answer / as an Ollama server does',
    }),
  },
  settings: {
    instance_name: setting(line, { default: '', fileFirst: true, about: 'name that the interface shows' }),
    instance_tagline: setting(line, {
      default: '',
      fileFirst: true,
      about: 'line that the interface shows below the name',
    }),
    logo_file: setting(line, { default: '', fileFirst: true, owner: 'branding', about: 'file of the square logo' }),
    logo_horizontal_file: setting(line, {
      default: '',
      fileFirst: true,
      owner: 'branding',
      about: 'file of the wide logo',
    }),
    favicon_file: setting(line, {
      default: '',
      fileFirst: true,
      owner: 'branding',
      about: 'file of the icon in browser tabs',
    }),
  },
})
