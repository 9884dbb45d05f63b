import { describe, expect, it } from 'vitest'
import { findHostFault, readHostEntry } from './host-entry.ts'

describe('an entry of a list of hosts', () => {
  it.each<[string, string, readonly string[], readonly string[]]>([
    ['API.Example.', 'api.example', ['api.example'], ['x.api.example', 'api.example.com', 'apiaexample']],
    ['10.1.2.3', '10.1.2.3', ['10.1.2.3'], ['10.1.2.4']],
    ['[2001:DB8::1]', '2001:db8::1', ['2001:db8::1'], ['2001:db8::2']],
    [
      '*.OpenAI.azure.com.',
      '*.openai.azure.com',
      ['mine.openai.azure.com', 'a.b.openai.azure.com'],
      ['openai.azure.com', 'xopenai.azure.com', 'mine.openai.azure.com.evil.example', 'azure.com'],
    ],
    [
      'bedrock-runtime.*.amazonaws.com',
      'bedrock-runtime.*.amazonaws.com',
      ['bedrock-runtime.eu-west-1.amazonaws.com'],
      ['bedrock-runtime.a.b.amazonaws.com', 'bedrock-runtime.amazonaws.com', 'x.bedrock-runtime.eu.amazonaws.com'],
    ],
    [
      '*-aiplatform.googleapis.com',
      '*-aiplatform.googleapis.com',
      ['us-central1-aiplatform.googleapis.com'],
      ['-aiplatform.googleapis.com', 'a.b-aiplatform.googleapis.com', 'aiplatform.googleapis.com'],
    ],
    ['api-*-eu.example', 'api-*-eu.example', ['api-1-eu.example', 'api---eu.example'], ['api--eu.example']],
    ['*.*.example', '*.*.example', ['a.b.example', 'c.a.b.example'], ['a.example']],
    ['*.bücher.example', '*.xn--bcher-kva.example', ['a.xn--bcher-kva.example'], ['xn--bcher-kva.example']],
    ['*.example', '*.example', ['a.example'], ['10.1.2.3', '2001:db8::1', 'example']],
  ])('%s is %s', (entry, text, meant, others) => {
    const read = readHostEntry(entry)
    if (typeof read === 'string') throw new Error(read)
    expect(read.text).toBe(text)
    expect(meant.map((host) => [host, read.matches(host)])).toEqual(meant.map((host) => [host, true]))
    expect(others.map((host) => [host, read.matches(host)])).toEqual(others.map((host) => [host, false]))
    expect(findHostFault(entry)).toBeUndefined()
  })

  it.each([
    ['', 'is not a host'],
    ['no host', 'is not a host'],
    ['https://api.example', 'is not a host'],
    ['api.example:443', 'is not a host'],
    ['api.example/v1', 'is not a host'],
    ['user@api.example', 'is not a host'],
    ['10.0.0.0/8', 'is not a host'],
    ['.example', 'is not a host'],
    ['1.2.3.4.5', 'is not a host'],
    ['169.254.169.254', 'never connects'],
    ['[fe80::1]', 'never connects'],
    ['*', 'in its last label'],
    ['api.*', 'in its last label'],
    ['10.0.0.*', 'in its last label'],
    ['**.example', 'several "*"'],
    ['*a*.example', 'several "*"'],
    ['*.1.1.1', 'is not a pattern'],
    ['*..example', 'is not a pattern'],
    ['https://*.example', 'is not a pattern'],
    ['*.example:443', 'is not a pattern'],
    ['*.example/v1', 'is not a pattern'],
    ['*-bücher.example', 'is not a pattern'],
    ['*。example', 'in its last label'],
    [`*.${'a'.repeat(64)}.example`, 'is not a pattern'],
    [`*.${'a.'.repeat(130)}example`, 'is not a pattern'],
  ])('%s can match nothing: %s', (entry, reason) => {
    expect(findHostFault(entry)).toContain(reason)
  })
})
