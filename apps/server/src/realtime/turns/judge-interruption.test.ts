import { describe, expect, it } from 'vitest'
import { type Interruption, judgeInterruption } from './judge-interruption.ts'

const judge = (given: Partial<Interruption>) =>
  judgeInterruption({ spokenMs: 400, isOpen: true, text: undefined, isWhole: false, mayCome: false, ...given })

describe('judgeInterruption', () => {
  it.each<[string, Partial<Interruption>, ReturnType<typeof judge>]>([
    ['speech has just begun', {}, 'wait'],
    ['it is long', { spokenMs: 1000 }, 'interrupt'],
    ['words are known', { text: 'wait a' }, 'interrupt'],
    ['words of assent go on', { text: 'yeah', spokenMs: 1200 }, 'wait'],
    ['assent goes on for long', { text: 'yeah yeah', spokenMs: 2500 }, 'interrupt'],
    ['its end waits for the text', { isOpen: false, mayCome: true }, 'wait'],
    ['it was assent', { isOpen: false, isWhole: true, text: 'Mhm.' }, 'resume'],
    ['only its beginning was assent', { isOpen: false, text: 'Yeah', mayCome: true }, 'wait'],
    ['it was a short noise', { isOpen: false, isWhole: true, text: '' }, 'resume'],
    ['nobody can write down a short one', { isOpen: false }, 'resume'],
    ['nobody can write down a long one', { isOpen: false, spokenMs: 800 }, 'interrupt'],
    ['a long one was a described noise', { isOpen: false, isWhole: true, spokenMs: 900, text: '[cough]' }, 'resume'],
    ['short words were meant', { isOpen: false, isWhole: true, spokenMs: 250, text: 'Stop.' }, 'interrupt'],
  ])('%s', (_, given, verdict) => expect(judge(given)).toBe(verdict))
})
