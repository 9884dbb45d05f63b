import { describe, expect, it } from 'vitest'
import { judgeEnd } from './judge-end.ts'

describe('judgeEnd', () => {
  it.each([
    'What is the weather like today?',
    'I would like to book a table.',
    'Stop!',
    'Turn the light on.',
    'What are you looking for?',
    'And?',
    'No.',
    'It costs 1,234.56.',
    'See you at 10:30.',
    'That was in 2024.',
    'I want two.',
    'I bought a car.',
    '"That is all."',
    'Mach das Licht an.',
    'Ich rufe dich an.',
    'Wie spät ist es?',
    'Ich will das.',
    'Quiero una cerveza.',
    '¿Qué hora es?',
    "Je voudrais un café, s'il vous plaît.",
    'Quero mais.',
    'Vorrei un caffè.',
    '今日は天気がいいですね。',
    'Какая сегодня погода?',
    'ما هو الوقت؟',
  ])('is over: %s', (text) => expect(judgeEnd(text)).toBe('over'))

  it.each([
    'I would like to go to the',
    'I would like to go to the.',
    'I want an apple and',
    'Well, um',
    'Um.',
    'I was thinking...',
    'I was thinking…',
    'First of all,',
    'We could go with',
    'Because',
    'Ich möchte gerne mit der',
    'Ich weiß nicht, ob.',
    'Ähm',
    'Das ist für',
    'Quiero ir a la',
    'Quiero un café con',
    'Pues eh',
    '¿Qué hora',
    'Je voudrais aller à',
    'Je ne sais pas, euh.',
    'Parce que',
    'Vorrei andare alla',
    'Non so perché',
    'Quero falar com',
    'Eu acho que',
    'My number is 0171 23',
    'My number is 017',
    'It is 555-12',
    'five five five',
    'Meine Nummer ist null eins sieben',
    'cinco seis siete',
    'My name is spelled J. O. H.',
  ])('goes on: %s', (text) => expect(judgeEnd(text)).toBe('open'))

  it.each([
    '',
    '   ',
    '[cough]',
    'tell me a story',
    'ich möchte eine geschichte hören',
    'That is what I came for.',
    'Ist das von dir mit.',
    'Call me at 555 123 4567 8',
    'расскажи мне сказку',
    '天気',
  ])('may be either: %s', (text) => expect(judgeEnd(text)).toBe('unclear'))

  it('bears any text', () => {
    for (const text of ['\u0000', '.'.repeat(1e5), '('.repeat(1e5), '1-'.repeat(5e4), '\ud800', '*'.repeat(99_999)]) {
      expect(['over', 'open', 'unclear']).toContain(judgeEnd(text))
    }
  })
})
