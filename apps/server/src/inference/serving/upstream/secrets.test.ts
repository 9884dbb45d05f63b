import { expect, it } from 'vitest'
import { createSecrets } from './secrets.ts'

const OWN = [
  'SVC_API_KEY',
  'SVC_AUTH_HMAC_SECRET',
  'SVC_AUTH_DATABASE_URL',
  'SVC_GRPC_AUTH_TOKEN',
  'SVC_OIDC_CLIENT_SECRET',
  'CODEHOST_CLIENT_SECRET',
  'DATABASE_URL',
  'PGPASSWORD',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'OTEL_EXPORTER_OTLP_TRACES_HEADERS',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'https_proxy',
  'all_proxy',
  // on Windows the same as in capitals
  'svc_api_key',
  'Database_Url',
]

const read = (name: string, environment: Readonly<Record<string, string>>): string | undefined =>
  createSecrets(environment, { read: async () => '' }).variable(name)

// verifies proxy:key:own-secrets
it.each(OWN)('the variable %s is not the key of an upstream', (name) => {
  expect(() => read(name, { [name]: 'own' })).toThrow(`the variable ${name} is a secret of this server`)
})

it.each(['MODELS_KEY', 'HF_TOKEN', 'OPENAI_API_KEY', 'OTEL_SERVICE_NAME', 'NO_PROXY'])(
  'the variable %s may be',
  (name) => {
    expect(read(name, { [name]: 'key' })).toBe('key')
  },
)

it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty', ''])('%j is not a variable', (name) => {
  expect(read(name, { MODELS_KEY: 'key' })).toBeUndefined()
})
