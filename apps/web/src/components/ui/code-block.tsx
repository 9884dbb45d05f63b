import * as styles from './code-block.module.css'
import { CopyButton } from './copy-button.tsx'
import { ScrollRegion } from './scroll-region.tsx'

/** A text to copy, such as a command. It scrolls inside its own box. */
export function CodeBlock({ title, text }: { readonly title: string; readonly text: string }) {
  return (
    <div className={styles.code}>
      <header>
        <span>{title}</span>
        <span className="push" />
        <CopyButton text={text} />
      </header>
      <ScrollRegion as="pre">{text}</ScrollRegion>
    </div>
  )
}
