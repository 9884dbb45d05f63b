import { createDeferred, eventually } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { SEMANTIC, SERVER, setUp } from './__fixtures__/turn-world.ts'

const never = () => createDeferred<string>().promise

/** Somebody speaks over the model, and the recogniser hears this. */
async function speakOver(signs: string, text: string | (() => Promise<string>), settings: object = {}) {
  const world = setUp(
    { ...SERVER, ...settings },
    { transcribe: async () => (typeof text === 'string' ? text : await text()) },
  )
  await world.hear('..........')
  world.taker.setSpeaking(true)
  await world.hear(signs)
  return world
}

describe('speech over the voice of the model', () => {
  it('holds it at once, and interrupts it when it is meant', async () => {
    const { hear, events } = await speakOver('#####', 'Wait a moment.')
    expect(events).toEqual(['hold', 'interrupt', 'started 700'])
    await hear('##........')
    expect(events).toEqual(['hold', 'interrupt', 'started 700', 'stopped 700 2200'])
  })

  it('holds it within a tick of the detector', async () => {
    expect((await speakOver('###', '')).events).toEqual(['hold'])
  })

  it('interrupts it when it is long and nobody knows the words', async () => {
    const { hear, events } = await speakOver('########', never)
    expect(events).toEqual(['hold'])
    await hear('####')
    expect(events).toEqual(['hold', 'interrupt', 'started 700'])
  })

  it.each(['Mhm.', 'Yeah, right.', 'Genau.', "D'accord.", '', '[cough]'])(
    'that is "%s" lets it go on',
    async (text) => {
      const { hear, events } = await speakOver('####.....', text)
      expect(events).toEqual(['hold', 'resume'])
      await hear('................')
      expect(events).toEqual(['hold', 'resume'])
    },
  )

  it('that is assent and then more interrupts it', async () => {
    let count = 0
    const world = setUp(SERVER, { transcribe: async () => (count++ === 0 ? 'Yeah' : 'Yeah, but what about me?') })
    world.taker.setSpeaking(true)
    await world.hear('.....##########')
    expect(world.events).toEqual(['hold', 'interrupt', 'started 200'])
  })

  it('does not wait for a text without end', async () => {
    const { hear, events } = await speakOver('####', never)
    await hear('.'.repeat(14))
    expect(events).toEqual(['hold'])
    await hear('.'.repeat(6))
    expect(events).toEqual(['hold', 'resume'])
  })

  it('lets the voice go on when nobody can write the words down', async () => {
    const { events } = await speakOver('####.....', () => Promise.reject(new Error('no recogniser')))
    expect(events).toEqual(['hold', 'failed: no recogniser', 'resume'])
  })

  it('is a turn that waits where it may not interrupt', async () => {
    const { events } = await speakOver('#####.......', 'Stop.', { interruptResponse: false })
    expect(events).toEqual(['started 700', 'stopped 700 2000'])
  })

  it('is a turn when the voice ends in the meantime', async () => {
    const { hear, events, taker } = await speakOver('###', 'Okay.')
    taker.setSpeaking(false)
    await hear('##........')
    expect(events).toEqual(['hold', 'resume', 'started 700', 'stopped 700 2000'])
  })

  it.each([
    ['a changed setting', { ...SERVER, interruptResponse: false }, ['hold', 'resume', 'started 700']],
    ['no turn taking', null, ['hold', 'resume']],
  ] as const)('lets the voice go on after %s', async (_, settings, expected) => {
    const { events, taker } = await speakOver('###', never)
    taker.set(settings)
    expect(events).toEqual(expected)
  })

  it('lets the voice go on when the client clears its sound', async () => {
    const { events, taker } = await speakOver('###', never)
    taker.clear()
    expect(events).toEqual(['hold', 'resume'])
  })

  it.each([
    [true, ['started 200', 'interrupt', 'stopped 200 2000']],
    [false, ['started 200', 'stopped 200 2000']],
  ])('that began before the voice stops it, if it may: %s', async (interruptResponse, expected) => {
    const { hear, events, taker } = setUp({ ...SERVER, interruptResponse })
    await hear('.....#####')
    taker.setSpeaking(true)
    await hear('#####.......')
    expect(events).toEqual(expected)
  })

  it('can be tried again', async () => {
    const texts = ['Mhm.', 'Stop it.']
    const world = setUp(SERVER, { transcribe: async () => texts.shift() ?? '' })
    world.taker.setSpeaking(true)
    await world.hear('.....####......#####........')
    expect(world.events).toEqual(['hold', 'resume', 'hold', 'interrupt', 'started 1200', 'stopped 1200 2500'])
  })
})

describe('semantic turn taking', () => {
  const say = (text: string) => setUp(SEMANTIC, { transcribe: async () => text })

  it('ends a turn soon after a whole sentence', async () => {
    const { hear, events } = say('What time is it?')
    await hear('.....#####..........')
    expect(events).toEqual(['started 200', 'stopped 200 1600'])
  })

  it('waits longer when the sentence goes on', async () => {
    const { hear, events } = say('I would like to')
    await hear(`.....#####${'.'.repeat(38)}`)
    expect(events).toEqual(['started 200'])
    await hear('....')
    expect(events).toEqual(['started 200', 'stopped 200 5000'])
  })

  it('asks again after more words', async () => {
    const asked: number[] = []
    const { hear, events } = setUp(SEMANTIC, {
      transcribe: async ({ endMs }) => {
        asked.push(Math.round(endMs / 100))
        return asked.length === 1 ? 'I would like to' : 'I would like to go home.'
      },
    })
    await hear('.....#####..........#####..........')
    expect(asked).toEqual([10, 25])
    expect(events).toEqual(['started 200', 'stopped 200 3100'])
  })

  it('waits for a while without a text, whatever the reason', async () => {
    for (const transcribe of [async () => '', () => Promise.reject(new Error('broken'))]) {
      const { hear, events } = setUp(SEMANTIC, { transcribe })
      await hear(`.....#####${'.'.repeat(15)}`)
      expect(events.filter((event) => !event.startsWith('failed'))).toEqual(['started 200', 'stopped 200 2200'])
    }
  })

  it('takes turns one by one from sound that comes at once', async () => {
    const { taker, events, toSound } = say('How are you?')
    taker.hear(toSound('.....#####..........'.repeat(3)))
    await eventually(() => expect(events).toHaveLength(6))
    expect(events.slice(-2)).toEqual(['started 4200', 'stopped 4200 5600'])
  })
})
