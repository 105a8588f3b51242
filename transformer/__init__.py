"""The network of the course, BERT, in PyTorch: one file read from top to bottom, and what it needs around it.

config       BertConfig: the sizes, by the reference's field names; base, minilm_l6, tiny, local and parity
model        the whole network: embeddings, attention, blocks, encoder, pooler, heads; record: what a pass may keep
tokenizer    WordPiece, and a view of its steps for a lesson
checkpoint   a model as a folder (config.json, vocab.txt, model.safetensors): load, save, and a report of what fits
contexts     one word in several sentences: its vectors, how alike they are; attention_maps: who looks at whom
drawing      random weights, for pages and checks that need none that were learnt
fetch        getting real weights: `python -m transformer fetch minilm-l6`
"""
