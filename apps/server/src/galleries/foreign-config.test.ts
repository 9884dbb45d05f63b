import { SvcError } from '@svc/errors'
import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { parseModelFile } from '../catalog/config-file.ts'
import { refuseForeignKeys } from './foreign-config.ts'

type Fields = Readonly<Record<string, unknown>>

/** Keys that are refused in foreign text, as the message has them. */
function refused(foreign: Fields, own: Fields = {}, merged: Fields = { ...foreign, ...own }): readonly string[] {
  try {
    refuseForeignKeys(foreign, { own, merged })
    return []
  } catch (error) {
    if (!SvcError.is(error)) throw error
    expect([error.kind, error.code]).toEqual(['forbidden', 'foreign_key_refused'])
    return [...error.message.matchAll(/([\w.*]+) \(/g)].map(([, key = '']) => key)
  }
}

describe('text of a gallery', () => {
  it.each<[string, Fields, string]>([
    ['a file with a key', { proxy: { api_key_file: '/etc/passwd' } }, 'proxy.api_key_file'],
    ['a key file beside the models', { proxy: { api_key_file: 'models/x' } }, 'proxy.api_key_file'],
    ['a key file with the name of a boolean', { proxy: { api_key_file: 'no' } }, 'proxy.api_key_file'],
    ['a variable', { proxy: { api_key_env: 'HF_TOKEN' } }, 'proxy.api_key_env'],
    ['an upstream', { proxy: { upstream_url: 'https://evil.example' } }, 'proxy.upstream_url'],
    ['the name of a model elsewhere', { proxy: { upstream_model: 'x' } }, 'proxy.upstream_model'],
    ['intercepted hosts', { mitm: { hosts: ['bank.example'] } }, 'mitm.hosts.*'],
    ['a command', { mcp: { stdio: '{"mcpServers": {"x": {"command": "sh"}}}' } }, 'mcp.stdio'],
    ['a server of tools', { mcp: { remote: '{"mcpServers": {}}' } }, 'mcp.remote'],
    ['code of a repository', { trust_remote_code: true }, 'trust_remote_code'],
    ['code of a repository, as text', { trust_remote_code: 'yes' }, 'trust_remote_code'],
    ['another token', { artifacts: [{ source: { token_env: 'AWS_SECRET' } }] }, 'artifacts.*.source.token_env'],
    [
      'the key of a hash',
      { pii_detection: { operators: { EMAIL: { hash_key_env: 'PATH' } } } },
      'pii_detection.operators.*.hash_key_env',
    ],
    ['an absolute path', { lora_adapter: '/etc/passwd' }, 'lora_adapter'],
    ['a path of another system', { lora_base: 'C:\\secrets' }, 'lora_base'],
    ['a share of another machine', { lora_base: '\\\\host\\share' }, 'lora_base'],
    ['a home', { tts: { audio_path: '~/.ssh/id' } }, 'tts.audio_path'],
    ['a path upwards', { diffusers: { clip_model: 'a/../../b' } }, 'diffusers.clip_model'],
    ['a path upwards with backslashes', { diffusers: { control_net: 'a\\..\\..\\b' } }, 'diffusers.control_net'],
    ['an address for a file', { parameters: { model: 'https://evil.example/x' } }, 'parameters.model'],
    ['a file address', { slot_save_path: 'file:///etc' }, 'slot_save_path'],
    ['one of several files', { lora_adapters: ['fine.bin', '/etc/passwd'] }, 'lora_adapters.*'],
    [
      'a voice outside',
      { pipeline: { voice_recognition: { references: [{ audio: '../x.wav' }] } } },
      'pipeline.voice_recognition.references.*.audio',
    ],
    ['an option with a file', { options: ['vae_path:/etc/passwd'] }, 'options.*'],
    ['an option with a file after other words', { options: ['devices:a, /etc/passwd'] }, 'options.*'],
    ['an option with a path upwards', { options: ['tokenizer=../../x'] }, 'options.*'],
    ['an option with a server', { options: ['rpc_servers:10.0.0.1:50052'] }, 'options.*'],
    ['an option with an address', { options: ['source:https://evil.example/x'] }, 'options.*'],
    ['an option with a host and a port', { options: ['worker:evil.example:50052'] }, 'options.*'],
    ['an option with a host and a port behind others', { options: ['rpc=a, evil.example:99'] }, 'options.*'],
    ['an option with a host and a port alone', { options: ['evil.example:50052'] }, 'options.*'],
    ['an option with an address of numbers', { options: ['master:10.0.0.1'] }, 'options.*'],
    ['an option with an address of IPv6', { options: ['master=[fd00::1]:29500'] }, 'options.*'],
    ['an option with a server and no port', { options: ['server:evil.example'] }, 'options.*'],
    ['an engine with peers', { engine_args: { peers: ['evil'] } }, 'engine_args'],
    ['an engine with a base address', { engine_args: { api_base: 'evil.example' } }, 'engine_args'],
    ['an engine with a host and a port in JSON', { engine_args: { kv: '{"to": "evil.example:22"}' } }, 'engine_args'],
    ['an option that is a path', { options: ['/etc/passwd'] }, 'options.*'],
    ['an option that runs code', { options: ['trust_remote_code:true'] }, 'options.*'],
    ['an option that runs code, as a number', { options: ['engine.trust_remote_code=1'] }, 'options.*'],
    ['an option with a host behind a dot', { options: ['online.endpoint=evil.example'] }, 'options.*'],
    ['an option with an address as a number', { options: ['host:2130706433'] }, 'options.*'],
    ['an engine that runs code', { engine_args: { trust_remote_code: true } }, 'engine_args'],
    ['an engine with a class', { engine_args: { worker_extension_cls: 'os.system' } }, 'engine_args'],
    ['an engine with classes', { engine_args: { logits_processors: ['evil:X'] } }, 'engine_args'],
    ['a deep option of an engine', { engine_args: { a: { b: [{ kv_connector_module_path: 'x' }] } } }, 'engine_args'],
    ['an engine with a token', { engine_args: { hf_token: 'x' } }, 'engine_args'],
    ['an engine that listens', { engine_args: { dist_init_addr: '0.0.0.0:1' } }, 'engine_args'],
    ['an option that runs code, by its name alone', { options: ['trust_remote_code'] }, 'options.*'],
    ['an option that runs code, as a flag', { options: ['--trust-remote-code'] }, 'options.*'],
    ['an option that runs code, in another case', { options: ['Trust_Remote_Code = True'] }, 'options.*'],
    ['an option that runs code behind another one', { options: ['a:1 trust_remote_code:true'] }, 'options.*'],
    ['an option that holds JSON', { options: ['args:{"trust_remote_code": true}'] }, 'options.*'],
    ['a program of a repository', { options: ['custom_pipeline:owner/repo'] }, 'options.*'],
    ['variables for an engine', { engine_args: { env: { LD_PRELOAD: 'x.so' } } }, 'engine_args'],
    ['an option with a variable of a shell', { options: ['cache_dir:$HOME/.ssh'] }, 'options.*'],
    ['a file behind a variable of a shell', { lora_base: '${HOME}/x' }, 'lora_base'],
    ['an engine that runs code by JSON', { engine_args: { a: '{"b": {"trust_remote_code": "yes"}}' } }, 'engine_args'],
    ['an engine with a host in JSON', { engine_args: { kv: "{'kv_host': 'evil.example'}" } }, 'engine_args'],
    ['an engine that opens files to requests', { engine_args: { allowed_local_media_path: '.' } }, 'engine_args'],
    ['a file of an engine', { engine_args: { download_dir: '/etc' } }, 'engine_args'],
  ])('may not set %s', (_what, config, key) => {
    expect(refused(config)).toEqual([key])
  })

  it.each<[string, Fields]>([
    ['weights and companions', { parameters: { model: 'a/b.gguf' }, mmproj: 'mmproj/x.gguf', draft_model: 'd.gguf' }],
    ['a repository', { backend: 'transformers', parameters: { model: 'owner/repo' } }],
    ['a switch that is off', { trust_remote_code: false, engine_args: { trust_remote_code: 'no' } }],
    ['keys without a value', { proxy: { upstream_url: '', api_key_file: null }, mitm: { hosts: [] }, mcp: {} }],
    ['the token of the hub', { artifacts: [{ source: { type: 'huggingface', repo: 'a/b', token_env: 'HF_TOKEN' } }] }],
    ['text with slashes', { template: { chat: '/../ https://x {{.Input}}' }, stopwords: ['/', '..', '</s>'] }],
    [
      'usual options',
      { options: ['use_jinja:true', 'vae_path:a/b.safetensors', 'subtype=online', 'vad_only', 'lang_code:en-us'] },
    ],
    [
      'switches named after hosts and keys',
      { options: ['online.enable_endpoint=1', 'use_proxy:true', 'enable_api_key:yes', 'endpoint:false', 'host:0'] },
    ],
    [
      'options that hold JSON',
      { options: ['kwargs:{"enable_thinking": false, "trust_remote_code": false}', 'a: b: c'] },
    ],
    [
      'usual options of engines',
      {
        engine_args: {
          tool_parser: 'hermes',
          speculative_config: { method: 'mtp', model: 'owner/draft', num_speculative_tokens: 1 },
          speculative_draft_model_path: 'owner/draft',
        },
      },
    ],
    [
      'values that are no hosts',
      {
        options: [
          'lora:a.gguf:1',
          'lora_scaled:a.gguf:0.85',
          'ot:blk.1.ffn=CPU',
          'build:1.2.3',
          'split:1.5:10',
          'slice:[0:1]',
        ],
        engine_args: { version: '1.2.3', ratios: '0.5:12', file: 'weights.Q4_K_M.gguf', tensor_parallel: '2:16' },
      },
    ],
    ['names of other models', { alias: 'x', failover: { targets: [{ model: 'y' }] }, pipeline: { llm: 'z' } }],
  ])('may set %s', (_what, config) => {
    expect(refused(config)).toEqual([])
  })

  it.each([
    'a'.repeat(200_000),
    '-'.repeat(200_000),
    `${'a:"'.repeat(60_000)}`,
    '$'.repeat(200_000),
    '_. '.repeat(60_000),
    'a.'.repeat(100_000),
    'a.b:1 '.repeat(30_000),
    '1.'.repeat(100_000),
    '['.repeat(200_000),
    `[${'0:'.repeat(100_000)}`,
  ])('is judged in time that grows with its length: %#', (text) => {
    expect(refused({ options: [text, `${text}!`], engine_args: { x: text } })).toEqual([])
  })

  it('names every key with the thing that it reaches', () => {
    const config = { proxy: { upstream_url: 'https://evil.example', api_key_env: 'X' }, mitm: { hosts: ['a', 'b'] } }
    expect(refused(config)).toEqual(['proxy.upstream_url', 'proxy.api_key_env', 'mitm.hosts.*'])
  })

  it.each<[string, Fields, readonly string[]]>([
    ['a merge key', { '<<': { proxy: { api_key_env: 'X' } } }, ['proxy.api_key_env']],
    ['a merge key in a block', { proxy: { '<<': { api_key_env: 'X' } } }, ['proxy.api_key_env']],
    ['a list of merges', { '<<': [{}, { mitm: { hosts: ['a'] } }] }, ['mitm.hosts.*']],
    ['a merge key for an engine', { engine_args: { '<<': { hf_token: 'x' } } }, ['engine_args']],
    ['text with line ends', { description: 'a\nproxy:\n  api_key_env: X' }, []],
    ['a name that is more than a name', { name: 'a\nmitm: {hosts: [b]}' }, []],
    ['another case', { Proxy: { api_key_env: 'X' } }, []],
    ['a path in one key', { 'proxy.api_key_env': 'X' }, []],
    ['an unknown key', { x: { proxy: { api_key_env: 'X' } } }, []],
  ])('is judged as a model file reads it: %s', (_what, config, keys) => {
    expect(refused(config)).toEqual(keys)
    if (keys.length > 0) return
    const text = stringify({ backend: 'mock', ...config })
    const { models } = parseModelFile(text, { file: 'm.yaml', folder: '', modifiedAt: 0 })
    expect(models.filter(({ proxy, mitm }) => proxy !== undefined || mitm.hosts !== undefined)).toEqual([])
  })

  it.each<[string, string, RegExp]>([
    ['a prototype', '{"__proto__": {"proxy": {"api_key_env": "X"}}}', /not allowed/],
    ['lists in lists', `{"x": ${'['.repeat(80)}${']'.repeat(80)}}`, /nested deeper/],
    ['a control character', '{"x": "\\u007f"}', /control character/],
  ])('is refused where it cannot be judged: %s', (_what, json, message) => {
    const foreign: Fields = JSON.parse(json)
    expect(() => refuseForeignKeys(foreign, { own: {}, merged: foreign })).toThrow(message)
  })
})

describe('a key of the administrator', () => {
  const evil = { proxy: { upstream_url: 'https://evil.example' } }
  const own = { proxy: { upstream_url: 'https://mine.example' } }

  it('takes the place of the gallery’s', () => {
    expect(refused(evil, own, own)).toEqual([])
    expect(refused({ options: ['a:/etc'] }, { options: ['b:1'] })).toEqual([])
  })

  it('covers no other key, and none that the gallery sets in the end', () => {
    const more = { proxy: { ...evil.proxy, api_key_env: 'X' } }
    expect(refused(more, own, { proxy: { ...more.proxy, ...own.proxy } })).toEqual(['proxy.api_key_env'])
    expect(refused(evil, own, evil)).toEqual(['proxy.upstream_url'])
    expect(refused(evil, { proxy: {} }, evil)).toEqual(['proxy.upstream_url'])
  })
})
