import { createElement, Fragment, type ReactNode } from 'react'
import { MATHS_CLASSES } from '../../lib/markdown/maths-syntax.ts'
import { toGeneratedUrl } from '../../lib/media/generated-files.ts'
import { ScrollRegion } from '../ui/scroll-region.tsx'
import { CodeBox } from './code-box.tsx'
import * as styles from './markdown.module.css'
import { Maths } from './maths.tsx'
import { RemotePicture } from './remote-picture.tsx'

/** Attributes that elements keep. Classes would borrow the looks of the interface, and addresses would be fetched. */
const KEPT: ReadonlySet<string> = new Set(['title', 'start', 'align', 'open'])
const TABLE_PARTS: ReadonlySet<string> = new Set(['table', 'thead', 'tbody', 'tr'])

/**
 * Turns sanitised nodes into elements, with parts of the interface for code, formulas, links, pictures and tables.
 *
 * @param isOpen whether more text will come
 */
export function toElements(parent: Node, isOpen: boolean): ReactNode[] {
  return Array.from(parent.childNodes, (node, index) => toElement(node, index, isOpen))
}

function toElement(node: Node, key: number, isOpen: boolean): ReactNode {
  if (!(node instanceof Element)) {
    const isBetweenCells = TABLE_PARTS.has(node.parentElement?.localName ?? '')
    return isBetweenCells ? null : node.textContent
  }
  const children = () => (node.childNodes.length === 0 ? undefined : toElements(node, isOpen))
  switch (node.localName) {
    case 'pre': {
      const code = node.firstElementChild
      const language = /\blanguage-(\S+)/.exec(code?.className ?? '')?.[1] ?? ''
      return <CodeBox key={key} text={node.textContent.replace(/\n$/, '')} language={language} isOpen={isOpen} />
    }
    case 'code': {
      const isDisplay = node.className === MATHS_CLASSES.display
      if (isDisplay || node.className === MATHS_CLASSES.inline)
        return <Maths key={key} text={node.textContent} isDisplay={isDisplay} />
      return <code key={key}>{node.textContent}</code>
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
      const shown = address.startsWith('data:') ? address : toGeneratedUrl(address)
      if (shown !== undefined) return <img key={key} src={shown} alt={alt} />
      return <RemotePicture key={key} address={address} alt={alt} />
    }
    case 'input': {
      // the boxes of task lists
      const isChecked = node.hasAttribute('checked')
      return node.getAttribute('type') === 'checkbox' ? (
        <input key={key} type="checkbox" checked={isChecked} disabled readOnly />
      ) : null
    }
    case 'table':
      return (
        <ScrollRegion as="div" key={key} className={styles.wide}>
          <table>{children()}</table>
        </ScrollRegion>
      )
    default:
      return createElement(node.localName, { key, ...readAttributes(node) }, children())
  }
}

function readAttributes(element: Element): Record<string, unknown> {
  return Object.fromEntries(
    Array.from(element.attributes)
      .filter(({ name }) => KEPT.has(name))
      .map(({ name, value }) => [name, name === 'open' ? true : value]),
  )
}
