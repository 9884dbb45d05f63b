// @vitest-environment jsdom
import i18next from 'i18next'
import { beforeAll, describe, expect, it } from 'vitest'
import { startTestTranslations } from '../../i18n/test-translations.ts'
import { describePruned } from './pruned-news.ts'
import type { PrunedFiles } from './unused-api.ts'

beforeAll(startTestTranslations)

const busy = { file: 'a.gguf', error: 'busy' }

describe('the messages about a deletion', () => {
  it.each<readonly [what: string, pruned: Partial<PrunedFiles>, expected: readonly (readonly [string, RegExp])[]]>([
    ['all files are deleted', {}, [['success', /freed\.$/]]],
    ['an installation stops it', { stopped: 'installation' }, [['error', /freed\. The rest .* an installation/]]],
    ['it stops early', { stopped: 'aborted' }, [['error', /freed\. The rest .* stopped early/]]],
    ['a file fails', { failed: [busy] }, [['error', /^1 file could not be deleted: busy/]]],
    ['two files fail', { failed: [busy, busy] }, [['error', /^2 files could not be deleted: busy/]]],
    [
      'a file fails before an installation stops it',
      { failed: [busy], stopped: 'installation' },
      [
        ['error', /could not be deleted: busy/],
        ['error', /an installation/],
      ],
    ],
  ])('say it where %s', (_what, pruned, expected) => {
    const news = describePruned({ freed_bytes: 1024, failed: [], ...pruned }, i18next.getFixedT('en', 'models'))
    expect(news).toEqual(expected.map(([kind, text]) => ({ kind, text: expect.stringMatching(text) })))
  })
})
