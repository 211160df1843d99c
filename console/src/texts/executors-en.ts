export const executors = {
  title: 'Executors'
}
