import type { DocumentFormat } from '@svc/pii/documents'
import { pick, type Random, type Tree } from './json-text.ts'

/** The secret that must never pass: as text, and as a number in inputs and outputs of tools. */
export const CANARY = 'sk-Canary/7€😀"x'
export const CANARY_NUMBER = '4929123412341234'

const text = (value: string): Tree => ({ kind: 'string', text: value })
const number = (value: string): Tree => ({ kind: 'number', text: value })
const array = (...items: Tree[]): Tree => ({ kind: 'array', items })
const object = (members: readonly (readonly [string, Tree])[]): Tree => ({ kind: 'object', members })
const NULL: Tree = { kind: 'literal', text: 'null' }

/** Builds bodies of one format that hold canaries in all possible texts. */
class Builder {
  readonly #random: Random

  constructor(random: Random) {
    this.#random = random
  }

  #maybe<T>(value: () => T): T[] {
    return this.#random(2) === 0 ? [value()] : []
  }

  #times<T>(most: number, value: () => T): T[] {
    return Array.from({ length: this.#random(most + 1) }, value)
  }

  /** Words with or without a canary. */
  words(): string {
    const around = () => pick(this.#random, ['', 'hello ', 'ä\n', '{', '[1', ' ', '\\', '"', '🙂', 'the end'])
    return around() + pick(this.#random, ['', CANARY]) + around()
  }

  text(): Tree {
    return text(this.words())
  }

  #key(): string {
    return pick(this.#random, ['note', 'k', 'a b', `key ${CANARY}`, 'content', 'type', 'id', 'x-y'])
  }

  /** Members with the caller's keys: never two that would be equal once masked. */
  #members(value: () => Tree): Tree {
    const keys = new Map<string, Tree>()
    for (let left = this.#random(4); left > 0; left--) keys.set(this.#key(), value())
    return object([...keys])
  }

  /** Any value. */
  any(depth = 3): Tree {
    switch (depth === 0 ? 0 : this.#random(5)) {
      case 1:
        return array(...this.#times(3, () => this.any(depth - 1)))
      case 2:
        return this.#members(() => this.any(depth - 1))
      case 3:
        return number('12.50')
      default:
        return this.text()
    }
  }

  /** Input or output of a tool: JSON, with JSON in its strings. */
  data(depth = 3): Tree {
    switch (depth === 0 ? 0 : this.#random(7)) {
      case 1:
        return array(...this.#times(3, () => this.data(depth - 1)))
      case 2:
      case 3:
        return this.#members(() => this.data(depth - 1))
      case 4:
        return { kind: 'json', tree: this.container(depth - 1) }
      case 5:
        return number(pick(this.#random, [CANARY_NUMBER, '1', '-2e3']))
      default:
        return this.text()
    }
  }

  container(depth = 3): Tree {
    return pick(this.#random, [
      () => array(...this.#times(3, () => this.data(depth))),
      () => this.#members(() => this.data(depth)),
    ])()
  }

  /** The text of a call or of a tool's result: JSON or not. */
  #dataText(): Tree {
    return pick(this.#random, [() => ({ kind: 'json', tree: this.container() }) as const, () => this.text()])()
  }

  /** Parts of one message; a canary may be split over several, with others in between. */
  parts(type: string): Tree {
    const parts = this.#times(3, () => this.#part(type, this.words()))
    if (this.#random(2) === 0) {
      const cuts = [1 + this.#random(5), 7 + this.#random(5)]
      const pieces = [CANARY.slice(0, cuts[0]), CANARY.slice(cuts[0], cuts[1]), CANARY.slice(cuts[1])]
      for (const piece of pieces) parts.push(this.#part(type, piece), ...this.#maybe(() => this.#other()))
    }
    return array(...parts)
  }

  #part(type: string, words: string): Tree {
    return object([['type', text(type)], ['text', text(words)], ...this.#maybe(() => ['vendor', this.any(2)] as const)])
  }

  /** A part that is not text. */
  #other(): Tree {
    return pick(this.#random, [
      () =>
        object([
          ['type', text('image_url')],
          ['image_url', object([['url', text('https://host/image.png')]])],
        ]),
      () =>
        object([
          ['type', text('new_kind')],
          ['payload', this.any(2)],
        ]),
      () =>
        object([
          ['type', text('refusal_note')],
          ['n', number('1')],
        ]),
    ])()
  }

  #content(type: string): Tree {
    return pick(this.#random, [() => this.text(), () => this.parts(type), () => NULL])()
  }

  /** Adds duplicate and unknown members. */
  #withExtras(members: readonly (readonly [string, Tree])[]): Tree {
    const twice = this.#maybe(() => members[this.#random(members.length)]).flatMap((member) => (member ? [member] : []))
    const extra = this.#maybe(() => [pick(this.#random, ['vendor_field', `v ${CANARY}`]), this.any()] as const)
    return object([...members, ...twice, ...extra])
  }

  #chatMessage(): Tree {
    return pick(this.#random, [
      () =>
        this.#withExtras([
          ['role', text('user')],
          ['content', this.#content('text')],
          ['name', this.text()],
        ]),
      () =>
        this.#withExtras([
          ['role', text('assistant')],
          ['content', NULL],
          ['reasoning_content', this.text()],
          ['tool_calls', array(this.#chatCall(), this.#chatCall())],
        ]),
      () =>
        this.#withExtras([
          ['role', text('tool')],
          ['tool_call_id', text('call_1')],
          ['content', this.output('text')],
        ]),
      () =>
        this.#withExtras([
          ['role', text('function')],
          ['name', text('f')],
          ['content', this.output('text')],
        ]),
    ])()
  }

  #chatCall(): Tree {
    const call = object([
      ['name', this.text()],
      ['arguments', this.#dataText()],
    ])
    return object([
      ['id', text('call_1')],
      ['type', text('function')],
      ['function', call],
    ])
  }

  /** The result of a tool: text, JSON text, parts or a value. */
  output(type: string): Tree {
    return pick(this.#random, [() => this.#dataText(), () => this.container(), () => this.parts(type)])()
  }

  #tools(): Tree {
    const schema = object([
      ['type', text('object')],
      [
        'properties',
        object([
          [
            this.#key(),
            object([
              ['type', text('string')],
              ['description', this.text()],
            ]),
          ],
        ]),
      ],
      ['default', this.any(2)],
    ])
    const definition = object([
      ['name', text('f')],
      ['description', this.text()],
      ['parameters', schema],
    ])
    return array(
      object([
        ['type', text('function')],
        ['function', definition],
      ]),
    )
  }

  #options(): (readonly [string, Tree])[] {
    return [
      ['model', text('demo')],
      ...this.#maybe(() => ['temperature', number('0.5')] as const),
      ...this.#maybe(() => ['metadata', this.#members(() => this.text())] as const),
      ...this.#maybe(() => ['user', this.text()] as const),
      ...this.#maybe(() => ['stop', array(this.text())] as const),
      ...this.#maybe(() => ['tools', this.#tools()] as const),
    ]
  }

  #block(): Tree {
    return pick(this.#random, [
      () => this.#part('text', this.words()),
      () =>
        object([
          ['type', text('thinking')],
          ['thinking', this.text()],
          ['signature', text('c2ln')],
        ]),
      () =>
        object([
          ['type', text('tool_use')],
          ['id', text('t1')],
          ['name', text('f')],
          ['input', this.container()],
        ]),
      () =>
        object([
          ['type', text('tool_result')],
          ['tool_use_id', text('t1')],
          ['content', this.output('text')],
        ]),
      () =>
        object([
          ['type', text('document')],
          [
            'source',
            object([
              ['type', text('text')],
              ['media_type', text('text/plain')],
              ['data', this.text()],
            ]),
          ],
        ]),
    ])()
  }

  #item(): Tree {
    return pick(this.#random, [
      () =>
        this.#withExtras([
          ['type', text('message')],
          ['role', text('user')],
          ['content', this.#content('input_text')],
        ]),
      () =>
        object([
          ['type', text('reasoning')],
          ['id', text('rs_1')],
          ['summary', this.parts('summary_text')],
        ]),
      () =>
        this.#withExtras([
          ['type', text('function_call')],
          ['call_id', text('c')],
          ['arguments', this.#dataText()],
        ]),
      () =>
        this.#withExtras([
          ['type', text('function_call_output')],
          ['output', this.output('input_text')],
        ]),
      () =>
        object([
          ['type', text('custom_tool_call')],
          ['name', this.text()],
          ['input', this.#dataText()],
        ]),
      () =>
        object([
          ['type', text('custom_tool_call_output')],
          ['output', this.output('input_text')],
        ]),
      () =>
        object([
          ['type', text('kind_of_tomorrow')],
          ['payload', this.any()],
        ]),
    ])()
  }

  #ollamaMessage(): Tree {
    const call = object([
      [
        'function',
        object([
          ['name', text('f')],
          ['arguments', this.container()],
        ]),
      ],
    ])
    return this.#withExtras([
      ['role', text(pick(this.#random, ['user', 'assistant', 'tool']))],
      ['content', this.text()],
      ['thinking', this.text()],
      ['tool_calls', array(call)],
      ['images', array(text('iVBO'.repeat(32)))],
    ])
  }

  body(format: DocumentFormat): Tree {
    const options = this.#options()
    const prompts = () => pick(this.#random, [() => this.text(), () => array(...this.#times(3, () => this.text()))])()
    const messages = (one: () => Tree) => ['messages', array(...this.#times(3, one), one())] as const
    switch (format) {
      case 'chat-completions':
        return this.#withExtras([...options, messages(() => this.#chatMessage())])
      case 'completions':
        return this.#withExtras([...options, ['prompt', prompts()], ['suffix', this.text()]])
      case 'embeddings':
        return this.#withExtras([...options, ['input', prompts()]])
      case 'moderations':
        return this.#withExtras([...options, ['input', prompts()]])
      case 'tokenize':
        return this.#withExtras([...options, ['content', this.text()]])
      case 'score':
        return this.#withExtras([...options, ['prompt', this.text()], ['candidates', prompts()]])
      case 'rerank':
        return this.#withExtras([...options, ['query', this.text()], ['documents', prompts()]])
      case 'media':
        return this.#withExtras([...options, ['prompt', this.text()], ['input', this.text()], ['lyrics', this.text()]])
      case 'edits':
        return this.#withExtras([...options, ['input', prompts()], ['instruction', this.text()]])
      case 'messages': {
        const one = () =>
          object([
            ['role', text('user')],
            ['content', array(...this.#times(4, () => this.#block()))],
          ])
        return this.#withExtras([...options, ['system', this.#content('text')], messages(one)])
      }
      case 'responses': {
        const items = array(...this.#times(4, () => this.#item()))
        return this.#withExtras([
          ...options,
          ['instructions', this.text()],
          ['input', pick(this.#random, [items, this.text()])],
        ])
      }
      case 'ollama-chat':
        return this.#withExtras([...options, messages(() => this.#ollamaMessage())])
      case 'ollama-generate':
        return this.#withExtras([...options, ['prompt', this.text()], ['system', this.text()], ['suffix', this.text()]])
      case 'ollama-embed':
        return this.#withExtras([...options, ['input', prompts()]])
      case 'json':
      case 'log-line':
        return this.container()
    }
  }
}

/** A random body of a format. */
export function generateBody(format: DocumentFormat, random: Random): Tree {
  return new Builder(random).body(format)
}
