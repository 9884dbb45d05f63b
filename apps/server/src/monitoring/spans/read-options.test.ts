import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readSpanOptions, type SpanOptions } from './read-options.ts'

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318' }

const read = (variables: Record<string, string>): Partial<SpanOptions> & { readonly problems: readonly string[] } => {
  const { options, problems } = readSpanOptions({ ...ENDPOINT, ...variables })
  return { ...options, problems }
}

describe('the variables of OpenTelemetry', () => {
  it('have defaults for everything but the endpoint', () => {
    expect(read({})).toEqual({
      url: 'http://localhost:4318/v1/traces',
      headers: {},
      isCompressed: false,
      timeoutMs: 10_000,
      sampler: { ratio: 1, followsCaller: true },
      resource: { 'service.name': 'svc' },
      certificateFile: undefined,
      problems: [],
    })
  })

  it.each([
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'https://a.example/otlp/' }, 'https://a.example/otlp/v1/traces'],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: ' http://[::1]:4318 ' }, 'http://[::1]:4318/v1/traces'],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a.example?token=x' }, 'http://a.example/v1/traces?token=x'],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://b.example/own' }, 'http://b.example/own'],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://b.example' }, 'http://b.example/'],
  ])('%j is sent to %s', (variables, url) => {
    expect(read(variables)).toMatchObject({ url, problems: [] })
  })

  it('are read for traces before those for everything', () => {
    expect(
      read({
        OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20a,x-other= b ',
        OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'Authorization=Basic%20b%3D',
        OTEL_EXPORTER_OTLP_TIMEOUT: '5',
        OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: '2500',
        OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
        OTEL_EXPORTER_OTLP_CERTIFICATE: '/a.pem',
        OTEL_TRACES_SAMPLER: 'traceidratio',
        OTEL_TRACES_SAMPLER_ARG: '.25',
        OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment=test,service.name=other',
        OTEL_SERVICE_NAME: 'models',
      }),
    ).toMatchObject({
      headers: { authorization: 'Basic b=' },
      timeoutMs: 2500,
      isCompressed: true,
      certificateFile: '/a.pem',
      sampler: { ratio: 0.25, followsCaller: false },
      resource: { 'service.name': 'models', 'deployment.environment': 'test' },
      problems: [],
    })
  })

  it.each([{ OTEL_SDK_DISABLED: 'true' }, { OTEL_TRACES_EXPORTER: 'none' }])(
    '%j turns spans off without a word',
    (variables) => {
      expect(readSpanOptions({ ...ENDPOINT, ...variables })).toEqual({ options: undefined, problems: [] })
    },
  )

  it.each([
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'localhost:4318'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'ftp://a.example'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'file:///etc/passwd'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://[::1'],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
    ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'http/json'],
    ['OTEL_TRACES_EXPORTER', 'zipkin'],
  ])('%s=%s sends nothing and says why, without the value', (name, value) => {
    const { options, problems } = readSpanOptions({ ...ENDPOINT, [name]: value })
    expect(options).toBeUndefined()
    expect(problems).toEqual([expect.stringMatching(new RegExp(`^${name} `))])
    expect(problems.join('')).not.toContain(value)
  })

  it.each([
    ['OTEL_EXPORTER_OTLP_HEADERS', 'a', { headers: {} }],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'x-ok=1,=2', { headers: {} }],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'a b=c', { headers: {} }],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'a=%0d%0aHost: evil', { headers: {} }],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'a=%', { headers: {} }],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'Content-Length=5', { headers: {} }],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'Transfer-Encoding=chunked', { headers: {} }],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'a=ü', { headers: {} }],
    ['OTEL_EXPORTER_OTLP_TIMEOUT', '0', { timeoutMs: 10_000 }],
    ['OTEL_EXPORTER_OTLP_TIMEOUT', '10s', { timeoutMs: 10_000 }],
    ['OTEL_EXPORTER_OTLP_TIMEOUT', '99999999', { timeoutMs: 10_000 }],
    ['OTEL_EXPORTER_OTLP_COMPRESSION', 'zstd', { isCompressed: false }],
    ['OTEL_TRACES_SAMPLER', 'jaeger_remote', { sampler: { ratio: 1, followsCaller: true } }],
    ['OTEL_TRACES_SAMPLER', '__proto__', { sampler: { ratio: 1, followsCaller: true } }],
    ['OTEL_RESOURCE_ATTRIBUTES', 'a', { resource: { 'service.name': 'svc' } }],
    ['OTEL_SERVICE_NAME', 'x'.repeat(300), { resource: { 'service.name': 'svc' } }],
  ])('%s=%j is told and passed over', (name, value, expected) => {
    const found = read({ [name]: value })
    expect(found).toMatchObject(expected)
    expect(found.problems).toEqual([expect.stringMatching(new RegExp(`^${name} `))])
  })

  it.each(['2', '-1', 'x', '1e9', '.', 'NaN', '0x1'])('a ratio of %s is told and passed over', (ratio) => {
    const found = read({ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: ratio })
    expect(found).toMatchObject({ sampler: { ratio: 1 }, problems: [expect.stringContaining('_ARG')] })
  })

  it('never throw, and never show a value', () => {
    const names = ['HEADERS', 'ENDPOINT', 'TIMEOUT', 'COMPRESSION', 'PROTOCOL'].map(
      (name) => `OTEL_EXPORTER_OTLP_${name}`,
    )
    const all = [
      ...names,
      'OTEL_TRACES_SAMPLER',
      'OTEL_TRACES_SAMPLER_ARG',
      'OTEL_RESOURCE_ATTRIBUTES',
      'OTEL_SERVICE_NAME',
    ]
    const canary = 'zq7canary'
    fc.assert(
      fc.property(fc.constantFrom(...all), fc.string({ unit: 'binary', maxLength: 400 }), (name, text) => {
        const { options, problems } = readSpanOptions({ ...ENDPOINT, [name]: `${text}${canary}` })
        expect(problems.join('')).not.toContain(canary)
        for (const value of Object.values(options?.headers ?? {})) expect(value).toMatch(/^[\x20-\x7e\t]*$/)
      }),
      { numRuns: 2000 },
    )
  })
})
