import { describe, expect, it } from 'vitest'
import { findReach, KEY_REACH } from './key-reach.ts'

const REACHING = {
  secret: [
    'proxy.api_key_env',
    'proxy.api_key_file',
    'artifacts.*.source.token_env',
    'pii_detection.operators.*.hash_key_env',
  ],
  file: [
    'parameters.model',
    'parameters.tokenizer',
    'mmproj',
    'draft_model',
    'lora_adapter',
    'lora_adapters.*',
    'lora_base',
    'prompt_cache_path',
    'slot_save_path',
    'download_files.*.filename',
    'artifacts.*.resolved.cache_key',
    'artifacts.*.resolved.primary_file',
    'diffusers.clip_model',
    'diffusers.clip_subfolder',
    'diffusers.control_net',
    'tts.voice',
    'tts.audio_path',
    'pii_detection.deny_list_files.*.*',
    'pii_detection.allow_list_files.*',
    'pii_detection.protected_terms_files.*',
    'pipeline.voice_recognition.references.*.audio',
  ],
  command: ['trust_remote_code', 'mcp.stdio'],
  upstream: ['proxy', 'mcp.remote', 'artifacts.*.resolved.endpoint'],
  interception: ['mitm'],
  engine: ['options.*', 'engine_args'],
}

/** Ends of names that sound as if they reached further than the model. */
const SUSPECT = /(?:^|[._])(?:file|files|path|dir|folder|url|uri|endpoint|host|hosts|command|env|secret|token|audio)$/

describe('what keys reach', () => {
  it('is more than nothing for these keys and blocks', () => {
    const reaching = [...KEY_REACH].filter(([, reach]) => reach !== 'nothing')
    const expected = Object.entries(REACHING).flatMap(([reach, keys]) => keys.map((key) => [key, reach]))
    const blocks = ['proxy', 'mitm']
    const own = reaching.filter(
      ([key]) => !blocks.some((block) => key.startsWith(`${block}.`)) || key.includes('api_key'),
    )
    expect(own.sort()).toEqual(expected.sort())
    const inherited = reaching.filter((row) => !own.includes(row))
    expect(inherited.filter(([key, reach]) => findReach([key.split('.')[0] ?? '']) !== reach)).toEqual([])
  })

  it('is nothing for keys with harmless names only', () => {
    const harmless = [...KEY_REACH].flatMap(([key, reach]) => (reach === 'nothing' ? [key] : []))
    expect(harmless.filter((key) => SUSPECT.test(key))).toEqual(['download_files.*.uri', 'limit_mm_per_prompt.audio'])
  })

  it.each([
    ['proxy.api_key_env', 'secret'],
    ['proxy.request_timeout_seconds', 'upstream'],
    ['proxy.a_key_of_tomorrow', 'upstream'],
    ['mitm.hosts.*', 'interception'],
    ['mcp.stdio', 'command'],
    ['artifacts.*.source.token_env', 'secret'],
    ['artifacts.*.source.repo', 'nothing'],
    ['engine_args.worker_cls', 'engine'],
    ['pii_detection.deny_list_files.PROJECT.*', 'file'],
    ['pii_detection.operators.EMAIL.hash_key_env', 'secret'],
    ['a_key_of_tomorrow', undefined],
    ['parameters.a_key_of_tomorrow', undefined],
  ])('%s reaches %s', (key, reach) => {
    expect(findReach(key.split('.'))).toBe(reach)
  })
})
