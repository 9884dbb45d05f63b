import { CopyButton } from './copy-button.tsx'

/** A text to copy, such as a command. It scrolls inside its own box. */
export function CodeBlock({ title, text }: { readonly title: string; readonly text: string }) {
  return (
    <div className="code">
      <header>
        <span>{title}</span>
        <span className="push" />
        <CopyButton text={text} />
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled box is reached by keyboard */}
      <pre tabIndex={0}>{text}</pre>
    </div>
  )
}
