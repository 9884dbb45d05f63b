export function NewModelPage() {
  return null
}
