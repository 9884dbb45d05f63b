/** The mark of the product; the icon of the document has the same lines. */
export function ProductMark({ size, className }: { readonly size: number; readonly className: string }) {
  return (
    <span className={className}>
      <svg
        viewBox="0 0 24 24"
        width={size}
        height={size}
        fill="none"
        stroke="currentColor"
        strokeWidth="3"
        strokeLinecap="round"
        aria-hidden="true"
      >
        <path d="M5 8l7-4 7 4M5 16l7 4 7-4M5 12h14" />
      </svg>
    </span>
  )
}
