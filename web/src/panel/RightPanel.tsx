interface RightPanelProps {
  chatId: string;
  onClose: () => void;
}

/** Beside a chat: files and changes of its workspace, context and cost. */
export default function RightPanel({ chatId }: RightPanelProps) {
  return <aside aria-label="Details" data-chat={chatId} />;
}
