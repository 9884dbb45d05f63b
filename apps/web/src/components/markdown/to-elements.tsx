import { createElement, Fragment, type ReactNode } from 'react'
import { CodeBox } from './code-box.tsx'
import { RemotePicture } from './remote-picture.tsx'

/** Attributes whose names differ in React. */
const NAMES: Readonly<Record<string, string>> = { class: 'className', checked: 'defaultChecked' }
const FLAGS: ReadonlySet<string> = new Set(['checked', 'disabled', 'open'])

/** Turns sanitised nodes into elements, with parts of the interface for code, links, pictures and tables. */
export function toElements(parent: Node, isOpen: boolean): ReactNode[] {
  return Array.from(parent.childNodes, (node, index) => toElement(node, index, isOpen))
}

function toElement(node: Node, key: number, isOpen: boolean): ReactNode {
  if (!(node instanceof Element)) return node.textContent
  const children = () => (node.childNodes.length === 0 ? undefined : toElements(node, isOpen))
  switch (node.localName) {
    case 'pre': {
      const code = node.firstElementChild
      const language = /\blanguage-(\S+)/.exec(code?.className ?? '')?.[1] ?? ''
      return <CodeBox key={key} text={node.textContent.replace(/\n$/, '')} language={language} isOpen={isOpen} />
    }
    case 'a': {
      const href = node.getAttribute('href')
      if (href === null) return <Fragment key={key}>{children()}</Fragment>
      return (
        <a key={key} href={href} target="_blank" rel="noopener noreferrer">
          {children()}
        </a>
      )
    }
    case 'img': {
      const address = node.getAttribute('src') ?? ''
      const alt = node.getAttribute('alt') ?? ''
      if (address.startsWith('data:')) return <img key={key} src={address} alt={alt} />
      return <RemotePicture key={key} address={address} alt={alt} />
    }
    case 'table':
      return (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled box is reached by keyboard
        <div key={key} className="wide" tabIndex={0}>
          <table>{children()}</table>
        </div>
      )
    default:
      return createElement(node.localName, { key, ...readAttributes(node) }, children())
  }
}

function readAttributes(element: Element): Record<string, unknown> {
  return Object.fromEntries(
    Array.from(element.attributes, ({ name, value }) => [NAMES[name] ?? name, FLAGS.has(name) ? true : value]),
  )
}
