export const trace = {
  title: 'Trace'
}
