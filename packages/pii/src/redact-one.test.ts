import { describe, expect, it } from 'vitest'
import { wordDetector } from './__fixtures__/detectors.ts'
import { redact } from './redact-one.ts'

describe('redact', () => {
  it('masks every built-in by default, and leaves other text', async () => {
    expect(await redact('Mail ada@lab.example from 10.1.2.3, IBAN DE89 3704 0044 0532 0130 00')).toBe(
      'Mail [REDACTED:pattern:EMAIL] from [REDACTED:pattern:IP_ADDRESS], IBAN [REDACTED:pattern:IBAN]',
    )
    expect(await redact('Nothing private \ud83d here')).toBe('Nothing private \ufffd here')
    expect(await redact('')).toBe('')
  })

  it('takes detectors and masks', async () => {
    const detectors = [wordDetector('Ada')]
    expect(await redact('Ada, ada@lab.example', { detectors })).toBe('[REDACTED:ner:ADA], ada@lab.example')
    expect(await redact('Ada', { detectors, masks: { mask: () => '***' } })).toBe('***')
  })

  it('refuses a text that a policy blocks, a failing detector and anything but a text', async () => {
    const blocks = [wordDetector('Ada', { action: 'block' })]
    await expect(redact('Ada', { detectors: blocks })).rejects.toMatchObject({ code: 'pii_blocked' })
    const failing = [{ name: 'down', detect: () => Promise.reject(new Error('Ada is down')) }]
    await expect(redact('Ada', { detectors: failing })).rejects.toMatchObject({ code: 'pii_ner_unavailable' })
    await expect(redact(7 as never)).rejects.toMatchObject({ code: 'invalid_argument' })
  })
})
