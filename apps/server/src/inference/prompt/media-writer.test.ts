import { describe, expect, it } from 'vitest'
import { createModel } from '../../catalog/__fixtures__/model.ts'
import { createMediaWriter } from './media-writer.ts'
import { createModelTemplates } from './model-templates.ts'
import type { MediaCounts } from './prompt-input.ts'

function open(multimodal = '', marker?: string) {
  const template = createModelTemplates(createModel({ template: { multimodal } }), { now: Date.now }).find('multimodal')
  const media = createMediaWriter(template, { marker })
  return {
    ...media,
    write: (content: string, counts?: MediaCounts) => media.write({ role: 'user', content, media: counts }),
  }
}

describe('markers of media', () => {
  it('stand before the text: audio, images, numbered videos', () => {
    const { write } = open()
    expect(write(' what? ', { images: 2, audio: 1, video: 1 })).toBe('<__media__><__media__><__media__>[vid-0] what? ')
    expect(write('', { video: 2 })).toBe('[vid-1][vid-2]')
    expect(write('plain')).toBe('plain')
  })

  it('are as the model writes them, with numbers that run on', () => {
    const { write } = open('{{range .Images}}<img {{.ID}}>{{end}}{{range .Audio}}<snd {{.ID}}>{{end}}{{.Text | upper}}')
    expect(write('a', { images: 2 })).toBe('<img 0><img 1>A')
    expect(write('b', { images: 1, audio: 1 })).toBe('<img 2><snd 0>B')
    expect(write('parts alone', {})).toBe('PARTS ALONE')
    expect(write('one text')).toBe('one text')
  })

  it.each(['{{.Nope}}', '{{range .Images}}', '{{define "a"}}{{template "a"}}{{end}}{{template "a"}}'])(
    'are as usual where the template cannot be used: %s',
    (multimodal) => {
      expect(open(multimodal).write('text', { images: 1 })).toBe('<__media__>text')
    },
  )

  it('take text for no template', () => {
    expect(open().write('{{.Text}}', { images: 1 })).toBe('<__media__>{{.Text}}')
  })

  it("become the backend's own, but not where a client wrote ours as text", () => {
    const { write, finish } = open('', '<|$&image|>')
    const prompt = `${write('see <__media__>', { images: 2 })}\n${write('and <__media__>')}`
    expect(finish(prompt)).toBe('<|$&image|><|$&image|>see <__media__>\nand <__media__>')
  })

  it.each([undefined, '', '<__media__>'])('stay as they are for a marker of %j', (marker) => {
    const { write, finish } = open('', marker)
    expect(finish(write('x <__media__>', { images: 1 }))).toBe('<__media__>x <__media__>')
  })
})
